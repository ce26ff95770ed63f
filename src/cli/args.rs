//! The command line's arguments. The texts here are what `--help` prints and what the manual is made from.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

/// The compiler for warp-specialised NVIDIA GPU kernels in which a barrier is a reference and never an array
#[derive(Debug, Parser)]
#[command(
    name = "tidegate",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 fine, 1 the input has findings, 2 wrong usage, 3 an internal error.\n\
                  Every command reads standard input where FILE is `-`."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to colour messages
    #[arg(long, value_enum, default_value_t = ColorWhen::Auto, global = true, value_name = "WHEN")]
    pub(crate) color: ColorWhen,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Opt(OptArgs),
    Compile(CompileArgs),
    Run(Box<RunArgs>),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
}

/// Read and verify kernel files
///
/// Reports every error with its place, and what is wanted there. Exit code 1 when there is one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidegate check examples/*.mlir\n  \
                        tidegate check --format sarif kernels/*.mlir > tidegate.sarif")]
pub(crate) struct CheckArgs {
    /// Files to check; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// How to report: for people (on the error stream), or as JSON lines or SARIF 2.1.0 (on standard output)
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// The GPU whose limits hold
    #[arg(long, default_value = "sm_90a", value_name = "CHIP")]
    pub(crate) target: String,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Say nothing when all is well
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Report at most so many findings for each file
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

/// Read, verify, transform and print a module
///
/// Without `--passes`, this formats: what is printed reads back to the same module.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidegate opt kernel.mlir --passes='canonicalize,cse'\n  \
                        tidegate opt - --generic < kernel.mlir | mlir-opt --allow-unregistered-dialect")]
pub(crate) struct OptArgs {
    /// The file to read; `-` is standard input
    #[arg(default_value = "-", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The passes to run, in order, as in 'canonicalize,cse,allocate-smem' (see --list-passes)
    #[arg(long, value_name = "PIPELINE", allow_hyphen_values = true)]
    pub(crate) passes: Option<String>,
    /// List the passes, with what they do
    #[arg(long)]
    pub(crate) list_passes: bool,
    /// Print MLIR's generic form
    #[arg(long, visible_alias = "mlir-print-op-generic")]
    pub(crate) generic: bool,
    /// Print locations
    #[arg(long, visible_alias = "mlir-print-debuginfo")]
    pub(crate) print_locations: bool,
    /// Do not verify, neither the input nor between passes
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Also hold the module against the limits of this GPU (shared memory, threads, clusters, ...)
    #[arg(long, value_name = "CHIP")]
    pub(crate) target: Option<String>,
    /// Where to write; standard output when not given
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) debug: PassDebugArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Looking at passes")]
pub(crate) struct PassDebugArgs {
    /// Print the module on the error stream after these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',', visible_alias = "mlir-print-ir-after")]
    pub(crate) print_after: Vec<String>,
    /// Print the module on the error stream after every pass
    #[arg(long, visible_alias = "mlir-print-ir-after-all")]
    pub(crate) print_after_all: bool,
    /// Of these, only where the pass has changed something
    #[arg(long, visible_alias = "mlir-print-ir-after-change")]
    pub(crate) print_after_change: bool,
    /// Print on the error stream how long each pass took
    #[arg(long, visible_alias = "mlir-timing")]
    pub(crate) timing: bool,
    /// Where to write a module and command line that show a pass failing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) reproducer: Option<PathBuf>,
}

/// Compile kernels to PTX, a cubin, or a stage before
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate compile kernel.mlir -o kernel.ptx --manifest kernel.manifest.json\n  \
                        tidegate compile kernel.mlir --emit nvgpu\n  \
                        tidegate compile kernel.mlir --emit sass-report"
)]
pub(crate) struct CompileArgs {
    /// The file to compile; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = Emit::Ptx)]
    pub(crate) emit: Emit,
    /// The GPU to compile for
    #[arg(long, default_value = "sm_90a", value_name = "CHIP")]
    pub(crate) target: String,
    /// The kernel to compile, when the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Where to write; standard output when not given
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Also write what a launcher needs to know, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) manifest: Option<PathBuf>,
    /// How much LLVM and ptxas optimise
    #[arg(short = 'O', long = "opt-level", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3), value_name = "LEVEL")]
    pub(crate) opt_level: u8,
    /// Leave out line tables
    #[arg(long)]
    pub(crate) no_line_tables: bool,
    /// The passes to run before the lowering, in place of the usual ones
    #[arg(long, value_name = "PIPELINE", allow_hyphen_values = true)]
    pub(crate) passes: Option<String>,
    #[command(flatten)]
    pub(crate) debug: PassDebugArgs,
}

/// Run a PTX kernel on the CPU, and say what is wrong with it
///
/// Executes anyone's PTX for Hopper and Blackwell on a model of the hardware: no GPU is needed. Finds hangs, races, missing
/// fences, and accesses outside of memory, and explains them. Exit code 1 when there is one, or an output is not as
/// expected; outputs are written only without errors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidegate run k.ptx --random-inputs\n  \
                        tidegate run k.ptx --manifest k.manifest.json --in x=x.npy --out y=y.npy\n  \
                        tidegate run k.ptx --in x=x.npy --expect y=ref.npy --schedule all --seeds 20\n  \
                        tidegate run k.ptx --grid 4 --block 128 --in x=x.npy --shape y=f32:1024 --param ptr:x \\\n    \
                        --param ptr:y --param i32:1024 --out y=y.npy")]
pub(crate) struct RunArgs {
    /// The PTX to run; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// How the kernel is launched, as `tidegate compile --manifest` writes it; when not given, FILE with the ending
    /// `.manifest.json`, or `manifest.json` beside it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) manifest: Option<PathBuf>,
    /// The kernel, when there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// How to report: for people (on the error stream), or as JSON lines or SARIF 2.1.0 (on standard output)
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Say nothing when all is well
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print how many instructions ran, and how fast
    #[arg(long)]
    pub(crate) stats: bool,

    /// What an array holds that the kernel reads
    #[arg(long = "in", value_name = "NAME=FILE.npy", value_parser = pair, help_heading = "Arrays")]
    pub(crate) input: Vec<(String, String)>,
    /// Where to write an array that the kernel writes
    #[arg(long = "out", value_name = "NAME=FILE.npy", value_parser = pair, help_heading = "Arrays")]
    pub(crate) output: Vec<(String, String)>,
    /// What is in an array before the kernel writes it; nothing when not given, so that reading it is a finding
    #[arg(long, value_name = "NAME=FILE.npy", value_parser = pair, help_heading = "Arrays")]
    pub(crate) init: Vec<(String, String)>,
    /// What an array has to hold after the run
    #[arg(long, value_name = "NAME=FILE.npy", value_parser = pair, help_heading = "Arrays")]
    pub(crate) expect: Vec<(String, String)>,
    /// How far it may be from that, times the size of the expected element (numpy.allclose)
    #[arg(long, default_value_t = 1e-5, value_name = "X", value_parser = tolerance, help_heading = "Arrays")]
    pub(crate) rtol: f64,
    /// How far it may be from that in any case
    #[arg(long, default_value_t = 1e-8, value_name = "X", value_parser = tolerance, help_heading = "Arrays")]
    pub(crate) atol: f64,
    /// NaN is as good as NaN
    #[arg(long, help_heading = "Arrays")]
    pub(crate) equal_nan: bool,
    /// A number that the kernel takes
    #[arg(long, value_name = "NAME=NUMBER", value_parser = pair, allow_hyphen_values = true, help_heading = "Arrays")]
    pub(crate) scalar: Vec<(String, String)>,
    /// The shape of an array that only the launch knows; without a manifest also its type, as in y=f32:128,64
    #[arg(long, value_name = "NAME=[TYPE:]N,N", value_parser = pair, help_heading = "Arrays")]
    pub(crate) shape: Vec<(String, String)>,
    /// Make up what the kernel reads and nobody gave: whole numbers from -4 to 4 (unsigned: 0 to 8), with which matmuls are exact
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, default_missing_value = "0", help_heading = "Arrays")]
    pub(crate) random_inputs: Option<u64>,

    /// Who moves when; round-robin when not given, random with --seed or --seeds
    #[arg(long, value_enum, value_name = "WHICH", help_heading = "Schedules")]
    pub(crate) schedule: Option<ScheduleKind>,
    /// The seed of a schedule that has one, or the first of --seeds
    #[arg(long, value_name = "N", help_heading = "Schedules")]
    pub(crate) seed: Option<u64>,
    /// Run with so many seeds, up to the first finding
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Schedules")]
    pub(crate) seeds: Option<u64>,
    /// Run a recorded schedule again: a file, or its text
    #[arg(long, value_name = "FILE|TEXT", conflicts_with_all = ["schedule", "seed", "seeds"], help_heading = "Schedules")]
    pub(crate) replay: Option<String>,
    /// Where to write the schedule of the run with a finding, or of the first run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Schedules")]
    pub(crate) record: Option<PathBuf>,

    /// Look for races and missing fences (as is usual)
    #[arg(long, overrides_with = "no_races", help_heading = "Checks")]
    pub(crate) races: bool,
    /// Do not: several times as fast
    #[arg(long, overrides_with = "races", help_heading = "Checks")]
    pub(crate) no_races: bool,
    /// Look for reads of memory that was never written (as is usual)
    #[arg(long, overrides_with = "no_uninitialised", help_heading = "Checks")]
    pub(crate) uninitialised: bool,
    /// Do not
    #[arg(long, overrides_with = "uninitialised", help_heading = "Checks")]
    pub(crate) no_uninitialised: bool,
    /// How many instructions of warps a cluster may execute
    #[arg(long, value_name = "N", help_heading = "Checks")]
    pub(crate) fuel: Option<u64>,
    /// How many clusters run at once; as many as there are cores when not given
    #[arg(long, value_name = "N", help_heading = "Checks")]
    pub(crate) threads: Option<usize>,
    /// Report at most so many findings
    #[arg(long, default_value_t = 20, value_name = "N", help_heading = "Checks")]
    pub(crate) limit: usize,

    /// Blocks of the grid; with a manifest only where it leaves that to the launch
    #[arg(long, value_name = "X[,Y,Z]", value_parser = three, help_heading = "Launching without a manifest")]
    pub(crate) grid: Option<[u32; 3]>,
    /// Threads of a block
    #[arg(long, value_name = "X[,Y,Z]", value_parser = three, conflicts_with = "manifest", help_heading = "Launching without a manifest")]
    pub(crate) block: Option<[u32; 3]>,
    /// Blocks of a cluster
    #[arg(long, value_name = "X[,Y,Z]", value_parser = three, conflicts_with = "manifest", help_heading = "Launching without a manifest")]
    pub(crate) cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory
    #[arg(
        long,
        value_name = "BYTES",
        conflicts_with = "manifest",
        help_heading = "Launching without a manifest"
    )]
    pub(crate) shared: Option<u32>,
    /// The shared variable that stands for the dynamic shared memory, where it is not declared `.extern`
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "manifest",
        help_heading = "Launching without a manifest"
    )]
    pub(crate) shared_symbol: Option<String>,
    /// What is passed for each parameter, in order: ptr:x, ptr:x+256, i32:5, f32:1.5, bytes:00ff, scratch:4096, or a tensor
    /// map: map:x,box=64x8,swizzle=128B (also dims=, strides=, steps=, offset=, oob=, element=)
    #[arg(
        long = "param",
        value_name = "KIND:VALUE",
        conflicts_with = "manifest",
        help_heading = "Launching without a manifest"
    )]
    pub(crate) params: Vec<String>,
}

/// `NAME=VALUE`
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("NAME=VALUE is wanted".to_owned()),
    }
}

/// `4`, `4,2` or `4,2,1`
fn three(text: &str) -> Result<[u32; 3], String> {
    let numbers: Vec<Option<u32>> = text.split([',', 'x']).map(|n| n.trim().parse().ok()).collect();
    let mut out = [1; 3];
    if numbers.len() > 3 {
        return Err("one to three numbers are wanted, as in 4,2,1".to_owned());
    }
    for (to, number) in out.iter_mut().zip(&numbers) {
        *to = number.ok_or("one to three numbers are wanted, as in 4,2,1")?;
    }
    Ok(out)
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 => Ok(x),
        _ => Err("a number of at least 0 is wanted".to_owned()),
    }
}

/// Explain a diagnostic code (TG0101) or an op (tg.barrier_wait)
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code or op
    #[arg(value_name = "CODE|OP", required_unless_present = "list")]
    pub(crate) subject: Option<String>,
    /// List all codes and ops
    #[arg(long)]
    pub(crate) list: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tidegate completions bash > ~/.local/share/bash-completion/completions/tidegate"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleKind {
    /// Warps in turn, copies when each had its turn
    RoundRobin,
    /// Anything that can move, by chance
    Random,
    /// One warp as far as it goes, copies as late as they can
    HoldBack,
    /// Copies at once
    Eager,
    /// Each of these, random with several seeds
    All,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// tidegate's IR as it goes into the lowering
    Tg,
    /// MLIR with `nvgpu.mbarrier` ops
    Nvgpu,
    /// MLIR with `nvvm` and `llvm` ops only
    Nvvm,
    /// LLVM IR
    Llvm,
    /// PTX text
    Ptx,
    /// Machine code, by ptxas
    Cubin,
    /// What ptxas and nvdisasm say of the machine code: instructions, registers, barriers
    SassReport,
    /// What a launcher needs to know, as JSON
    Manifest,
}
