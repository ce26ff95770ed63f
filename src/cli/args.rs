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
