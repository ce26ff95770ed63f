//! Which schedules a kernel runs under, and their records.
//!
//! A record is a text with a line for each cluster, `cluster 3: 0:1024 1:256*4`; `;` stands for a line break. Lines of
//! `#` are comments. Picks without `cluster N:` are those of every cluster.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tidegate::machine::schedule::{
    Choice, Eager, HoldBack, Random, Record, Recorded, Replay, RoundRobin, Schedule,
};

use super::super::args::{RunArgs, ScheduleKind};

/// A schedule of a whole grid.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    RoundRobin,
    Eager,
    HoldBack(u64),
    Random(u64),
    Replay(Arc<Records>),
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plan::RoundRobin => f.write_str("--schedule round-robin"),
            Plan::Eager => f.write_str("--schedule eager"),
            Plan::HoldBack(seed) => write!(f, "--schedule hold-back --seed {seed}"),
            Plan::Random(seed) => write!(f, "--schedule random --seed {seed}"),
            Plan::Replay(_) => f.write_str("--replay"),
        }
    }
}

impl Plan {
    /// The schedule of a cluster.
    pub(crate) fn of(&self, cluster: u64) -> Box<dyn Schedule> {
        match self {
            Plan::RoundRobin => Box::new(RoundRobin::default()),
            Plan::Eager => Box::new(Eager::default()),
            Plan::HoldBack(seed) => Box::new(HoldBack::new(*seed)),
            // Clusters have schedules of their own; the first one has the seed's.
            Plan::Random(seed) => {
                Box::new(Random::new(seed.wrapping_add(cluster.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
            }
            Plan::Replay(records) => match records.clusters.get(&cluster).or(records.all.as_ref()) {
                Some(record) => Box::new(Replay::new(record)),
                None => Box::new(RoundRobin::default()),
            },
        }
    }
}

/// How many random schedules `--schedule all` runs when nobody says.
const RANDOM: u64 = 4;

/// The schedules that the arguments ask for.
///
/// # Errors
/// What is wrong with the record to replay.
pub(crate) fn plans(args: &RunArgs) -> Result<Vec<Plan>, String> {
    if let Some(replay) = &args.replay {
        let text = match std::fs::read_to_string(replay) {
            Ok(text) => text,
            Err(_) if replay.contains(':') => replay.clone(),
            Err(error) => return Err(format!("cannot read `{replay}`: {error}")),
        };
        return Ok(vec![Plan::Replay(Arc::new(Records::parse(&text)?))]);
    }
    let seeded = args.seed.is_some() || args.seeds.is_some();
    let kind = args.schedule.unwrap_or(if seeded { ScheduleKind::Random } else { ScheduleKind::RoundRobin });
    let first = args.seed.unwrap_or(0);
    let seeds = |n: u64| (0..n).map(move |i| first.wrapping_add(i));
    let one = args.seeds.unwrap_or(1);
    Ok(match kind {
        ScheduleKind::RoundRobin => vec![Plan::RoundRobin],
        ScheduleKind::Eager => vec![Plan::Eager],
        ScheduleKind::HoldBack => seeds(one).map(Plan::HoldBack).collect(),
        ScheduleKind::Random => seeds(one).map(Plan::Random).collect(),
        ScheduleKind::All => {
            let mut all = vec![Plan::RoundRobin, Plan::Eager, Plan::HoldBack(0), Plan::HoldBack(1)];
            all.extend(seeds(args.seeds.unwrap_or(RANDOM)).map(Plan::Random));
            all
        }
    })
}

/// Records of the clusters of a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    clusters: BTreeMap<u64, Record>,
    all: Option<Record>,
}

impl Records {
    /// Reads what [`fmt::Display`] prints.
    fn parse(text: &str) -> Result<Records, String> {
        let mut out = Records::default();
        for line in
            text.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| line.split(';'))
        {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            match line.strip_prefix("cluster ") {
                Some(rest) => {
                    let (number, picks) = rest.split_once(':').ok_or_else(|| no_line(line))?;
                    let number = number.trim().parse().map_err(|_| no_line(line))?;
                    out.clusters.insert(number, Record::parse(picks)?);
                }
                None => out.all = Some(Record::parse(line)?),
            }
        }
        if out.clusters.is_empty() && out.all.is_none() {
            return Err("the record to replay is empty".to_owned());
        }
        Ok(out)
    }
}

fn no_line(line: &str) -> String {
    let shown: String = line.chars().take(40).collect();
    format!("`{shown}` is no line of a record: `cluster N: INDEX:TURN INDEX:TURN*TIMES ...`")
}

impl fmt::Display for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (cluster, record) in &self.clusters {
            writeln!(f, "cluster {cluster}: {record}")?;
        }
        Ok(())
    }
}

/// Where the records of clusters go when these have ended.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Records>>);

impl Recorder {
    /// A schedule that leaves its record here.
    pub(crate) fn record(&self, cluster: u64, schedule: Box<dyn Schedule>) -> Box<dyn Schedule> {
        Box::new(Kept { inner: Recorded::new(schedule), cluster, recorder: self.clone() })
    }

    /// The records so far, as text.
    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).to_string()
    }
}

struct Kept {
    inner: Recorded<Box<dyn Schedule>>,
    cluster: u64,
    recorder: Recorder,
}

impl Schedule for Kept {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        self.inner.choose(choices)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let record = std::mem::take(&mut self.inner.record);
        let mut records = self.recorder.0.lock().unwrap_or_else(PoisonError::into_inner);
        records.clusters.insert(self.cluster, record);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn records_read_back() {
        let text = "cluster 0: 0:1024 1:8*3\ncluster 7: 2:1\n";
        assert_eq!(Records::parse(text).unwrap().to_string(), text);
        assert_eq!(Records::parse("# x\ncluster 0: 0:1; cluster 1: 1:2").unwrap().clusters.len(), 2);
        assert!(Records::parse("0:4 1:4").unwrap().all.is_some());
        for bad in ["", "# only", "cluster x: 0:1", "cluster 1", "cluster 1: 0", "hello"] {
            assert!(Records::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_a_cluster_did_is_kept() {
        let recorder = Recorder::default();
        let mut schedule = recorder.record(3, Plan::Random(1).of(3));
        for _ in 0..5 {
            schedule.choose(&[Choice::Effect(0), Choice::Effect(1)]);
        }
        drop(schedule);
        assert!(recorder.text().starts_with("cluster 3: "));
        assert!(Records::parse(&recorder.text()).is_ok());
    }
}
