//! Who moves next: schedules, their record, and replay.
//!
//! At each step the machine lists what can move: agents, and the effects and completions of asynchronous
//! operations. A [`Schedule`] picks one. All that is left to chance goes through it, so that the list of picks is the
//! whole history of a run.

use crate::hardware::AgentId;
use std::fmt;

/// Something that can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// An agent runs on.
    Agent(AgentId),
    /// The accesses of an asynchronous operation happen (by its number).
    Effect(u64),
    /// An asynchronous operation completes.
    Complete(u64),
}

/// Decides who moves next.
pub trait Schedule: Send {
    /// The index of a choice (there is at least one; an index past the end means the last), and how many
    /// instructions an agent may run before the next decision.
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32);
}

/// Agents in turn; asynchronous operations happen when each agent had its turn.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    last: Option<u32>,
}

impl Schedule for RoundRobin {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        const TURN: u32 = 1024;
        let agent = |after: Option<u32>| {
            choices.iter().position(|c| match c {
                Choice::Agent(a) => after.is_none_or(|l| a.0 > l),
                _ => false,
            })
        };
        if let Some(index) = agent(self.last) {
            if let Choice::Agent(a) = choices[index] {
                self.last = Some(a.0);
            }
            return (index, TURN);
        }
        if let Some(index) = choices.iter().position(|c| !matches!(c, Choice::Agent(_))) {
            return (index, TURN);
        }
        self.last = match choices.first() {
            Some(Choice::Agent(a)) => Some(a.0),
            _ => None,
        };
        (0, TURN)
    }
}

/// Anything that can move, with equal chance, for a random number of instructions.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The same seed gives the same schedule.
    pub fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1 }
    }

    /// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). A generator that is
    /// written down here gives the same schedule for a seed in every version.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Schedule for Random {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        let index = (self.next() % choices.len().max(1) as u64) as usize;
        let turn = 1u32 << (self.next() % 9);
        (index, turn)
    }
}

/// How long asynchronous operations are put off while agents can move. Agents that ask again and again, and meet each
/// other in between, can move for ever; hardware does not hold operations back for ever.
const PATIENCE: u32 = 4096;

/// Counts the decisions since an asynchronous operation moved on.
#[derive(Clone, Debug, Default)]
struct Patience {
    waited: u32,
}

impl Patience {
    /// Whether it is time for an operation, given the choices.
    fn is_over(&mut self, choices: &[Choice]) -> bool {
        if choices.iter().all(|c| matches!(c, Choice::Agent(_))) {
            self.waited = 0;
        }
        self.waited += 1;
        let over = self.waited > PATIENCE;
        if over {
            self.waited = 0;
        }
        over
    }
}

/// One agent runs as far as it goes before any other; asynchronous operations happen only when no agent can move, or when
/// agents have moved for very long. From a seed, agents are preferred in another order.
#[derive(Clone, Debug, Default)]
pub struct HoldBack {
    seed: u64,
    current: Option<AgentId>,
    patience: Patience,
}

impl HoldBack {
    /// Seed 0 prefers agents in order, 1 in reverse order, others by a hash.
    pub fn new(seed: u64) -> HoldBack {
        HoldBack { seed, current: None, patience: Patience::default() }
    }

    fn rank(&self, agent: AgentId) -> u64 {
        match self.seed {
            0 => u64::from(agent.0),
            1 => u64::MAX - u64::from(agent.0),
            seed => Random::new(seed ^ u64::from(agent.0) << 32).next(),
        }
    }
}

impl Schedule for HoldBack {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        let over = self.patience.is_over(choices);
        if !over
            && let Some(current) = self.current
            && let Some(i) = choices.iter().position(|&c| c == Choice::Agent(current))
        {
            return (i, 1 << 20);
        }
        let agents = choices.iter().enumerate().filter_map(|(i, c)| match c {
            Choice::Agent(a) => Some((self.rank(*a), i, *a)),
            _ => None,
        });
        if let Some((_, i, a)) = agents.min().filter(|_| !over) {
            self.current = Some(a);
            return (i, 1 << 20);
        }
        self.current = None;
        self.patience = Patience::default();
        // The latest operation first: the oldest waits longest. Effects before completions keeps both late.
        let late = choices.iter().rposition(|c| matches!(c, Choice::Effect(_)));
        (late.unwrap_or(choices.len().saturating_sub(1)), 1)
    }
}

/// Asynchronous operations happen at once, and complete as late as they can: what overwrites memory too early is
/// seen by whoever still reads it.
#[derive(Clone, Debug, Default)]
pub struct Eager {
    agents: RoundRobin,
    patience: Patience,
}

impl Schedule for Eager {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        if let Some(i) = choices.iter().position(|c| matches!(c, Choice::Effect(_))) {
            return (i, 1);
        }
        let agents = choices.iter().filter(|c| matches!(c, Choice::Agent(_))).count();
        if self.patience.is_over(choices) || agents == 0 {
            return (choices.len().saturating_sub(1), 1);
        }
        let (i, _) = self.agents.choose(&choices[..agents]);
        (i, 8)
    }
}

/// The picks of a run: index and turn of each decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    picks: Vec<(u16, u32, u32)>,
}

impl Record {
    fn push(&mut self, index: usize, turn: u32) {
        let index = index.min(usize::from(u16::MAX)) as u16;
        match self.picks.last_mut() {
            Some((i, t, n)) if *i == index && *t == turn => *n += 1,
            _ => self.picks.push((index, turn, 1)),
        }
    }

    /// Reads what [`fmt::Display`] prints: `index:turn` or `index:turn*times`, separated by blanks.
    ///
    /// # Errors
    ///
    /// The item that is none, as text.
    pub fn parse(text: &str) -> Result<Record, String> {
        let mut picks = Vec::new();
        for item in text.split_whitespace() {
            let (pick, times) = item.split_once('*').unwrap_or((item, "1"));
            let parsed = pick.split_once(':').and_then(|(i, t)| {
                Some((i.parse().ok()?, t.parse().ok()?, times.parse().ok().filter(|&n: &u32| n > 0)?))
            });
            match parsed {
                Some(pick) => picks.push(pick),
                None => {
                    return Err(format!(
                        "`{item}` is no step of a schedule: `INDEX:TURN` or `INDEX:TURN*TIMES`"
                    ));
                }
            }
        }
        Ok(Record { picks })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (index, turn, times)) in self.picks.iter().enumerate() {
            let gap = if k == 0 { "" } else { " " };
            match times {
                1 => write!(f, "{gap}{index}:{turn}")?,
                _ => write!(f, "{gap}{index}:{turn}*{times}")?,
            }
        }
        Ok(())
    }
}

/// Another schedule, with its picks recorded.
pub struct Recorded<S> {
    inner: S,
    /// The picks so far.
    pub record: Record,
}

impl<S> Recorded<S> {
    /// Records this schedule.
    pub fn new(inner: S) -> Recorded<S> {
        Recorded { inner, record: Record::default() }
    }
}

impl<S: Schedule> Schedule for Recorded<S> {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        let (index, turn) = self.inner.choose(choices);
        self.record.push(index.min(choices.len().saturating_sub(1)), turn);
        (index, turn)
    }
}

impl Schedule for Box<dyn Schedule> {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        (**self).choose(choices)
    }
}

/// The picks of a record, then agents in turn.
pub struct Replay {
    picks: Vec<(u16, u32, u32)>,
    at: usize,
    used: u32,
    rest: RoundRobin,
}

impl Replay {
    /// Of this record.
    pub fn new(record: &Record) -> Replay {
        Replay { picks: record.picks.clone(), at: 0, used: 0, rest: RoundRobin::default() }
    }
}

impl Schedule for Replay {
    fn choose(&mut self, choices: &[Choice]) -> (usize, u32) {
        let Some(&(index, turn, times)) = self.picks.get(self.at) else { return self.rest.choose(choices) };
        self.used += 1;
        if self.used >= times {
            self.at += 1;
            self.used = 0;
        }
        (usize::from(index), turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_replays() {
        let choices = [Choice::Agent(AgentId(0)), Choice::Agent(AgentId(1)), Choice::Effect(7)];
        let mut first = Recorded::new(Random::new(5));
        let picks: Vec<_> = (0..50).map(|_| first.choose(&choices)).collect();
        let record = Record::parse(&first.record.to_string()).unwrap();
        assert_eq!(record, first.record);
        let mut again = Replay::new(&record);
        assert_eq!((0..50).map(|_| again.choose(&choices)).collect::<Vec<_>>(), picks);
        assert!(Record::parse("1:2 x").is_err());
    }

    #[test]
    fn round_robin_gives_each_a_turn_and_then_the_engines() {
        let choices = [Choice::Agent(AgentId(0)), Choice::Agent(AgentId(1)), Choice::Effect(7)];
        let mut s = RoundRobin::default();
        let order: Vec<_> = (0..3).map(|_| s.choose(&choices).0).collect();
        assert_eq!(order, [0, 1, 2]);
    }
}
