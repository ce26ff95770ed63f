//! Tells who waits how far a run is.

use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tidegate::machine::grid::Gauge;

/// How long a run may take before it says how far it is.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs `work`, and shows on the error stream, if that is a terminal, how far it is.
pub(crate) fn watch<T>(clusters: u64, what: &str, gauge: &Gauge, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(move || {
            let start = Instant::now();
            let mut bar: Option<ProgressBar> = None;
            while ended.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
                if start.elapsed() < PATIENCE {
                    continue;
                }
                let bar = bar.get_or_insert_with(|| bar_of(clusters, what, start.elapsed()));
                bar.set_position(gauge.done.load(Ordering::Relaxed));
                let million = gauge.instructions.load(Ordering::Relaxed) as f64 / 1e6;
                bar.set_message(format!(
                    "{million:.1} M instructions, {:.1} M a second",
                    million / start.elapsed().as_secs_f64()
                ));
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

fn bar_of(clusters: u64, what: &str, elapsed: Duration) -> ProgressBar {
    let bar =
        ProgressBar::with_draw_target(Some(clusters), ProgressDrawTarget::stderr()).with_elapsed(elapsed);
    let template = match clusters {
        // How far a single cluster is, nobody knows.
        0 | 1 => "{prefix} {elapsed}: {msg}",
        _ => "{prefix} {bar:24} {pos} of {len} clusters, {elapsed}, about {eta} left: {msg}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style).with_prefix(format!("running {what}"))
}
