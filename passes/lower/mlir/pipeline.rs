//! From a module of `nvgpu` kernels to PTX, stage by stage.

use std::{
    fmt,
    time::{Duration, Instant},
};

use melior::{
    ir::{BlockLike, Module, OperationRef, operation::OperationLike},
    pass::PassManager,
    utility::parse_pass_pipeline,
};

use super::{codegen::LlvmModule, error::MlirError, message::MlirMessage, rewrite, session::Session};
use crate::lower::target::CodegenOptions;

/// A form of the module on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// `nvgpu`, `scf`, `arith`, `vector`: what `lower-to-nvgpu` makes.
    Nvgpu,
    /// `nvvm` and `llvm` alone.
    Nvvm,
    /// LLVM IR before optimisation.
    Llvm,
    /// PTX.
    Ptx,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 4] = [Self::Nvgpu, Self::Nvvm, Self::Llvm, Self::Ptx];
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nvgpu => "nvgpu",
            Self::Nvvm => "nvvm",
            Self::Llvm => "LLVM IR",
            Self::Ptx => "PTX",
        })
    }
}

/// Barriers to nvvm ops; the rest of the way follows once the waits are loops.
const NVGPU_TO_NVVM: &str = "builtin.module(convert-nvgpu-to-nvvm)";

/// All else to the `llvm` and `nvvm` dialects.
const ALL_TO_NVVM: &str = "builtin.module(gpu.module(convert-scf-to-cf,\
     convert-vector-to-llvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},\
     reconcile-unrealized-casts,canonicalize,cse))";

/// `nvvm` ops without an intrinsic to inline PTX.
const NVVM_TO_LLVM: &str =
    "builtin.module(gpu.module(convert-nvvm-to-llvm,canonicalize,cse,reconcile-unrealized-casts))";

/// Scopes for the line tables. `LineTablesOnly` would say `.target ..., debug`, with which `ptxas` takes up to twice the
/// registers.
const LINE_TABLES: &str =
    "builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly})";

/// How long the stages took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// `nvgpu` to `nvvm`.
    pub to_nvvm: Duration,
    /// `nvvm` to LLVM IR.
    pub to_llvm: Duration,
    /// LLVM's optimisations.
    pub optimise: Duration,
    /// LLVM IR to PTX.
    pub to_ptx: Duration,
}

/// The way from `nvgpu` to PTX, for one module.
#[derive(Debug)]
pub struct Pipeline<'s> {
    session: &'s Session,
    options: CodegenOptions,
    timings: Timings,
}

impl<'s> Pipeline<'s> {
    /// A pipeline that compiles as `options` say.
    pub fn new(session: &'s Session, options: CodegenOptions) -> Self {
        Self { session, options, timings: Timings::default() }
    }

    /// How long the stages of the last [`emit`](Self::emit) took.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// Lowers `module` as far as `stage`, and gives its text there. The module holds one `gpu.module`, whose kernels are
    /// functions of the `llvm` dialect; it is used up.
    ///
    /// # Errors
    ///
    /// Whatever MLIR or LLVM refuses, with all they said.
    pub fn emit(&mut self, module: &mut Module<'s>, stage: Stage) -> Result<String, MlirError> {
        self.timings = Timings::default();
        self.session.verify(module, Stage::Nvgpu)?;
        if stage == Stage::Nvgpu {
            return Ok(module.as_operation().to_string());
        }
        let clock = Instant::now();
        self.to_nvvm(module)?;
        self.timings.to_nvvm = clock.elapsed();
        if stage == Stage::Nvvm {
            return Ok(module.as_operation().to_string());
        }
        let clock = Instant::now();
        let llvm = self.to_llvm(module)?;
        self.timings.to_llvm = clock.elapsed();
        if stage == Stage::Llvm {
            return Ok(llvm.text());
        }
        let clock = Instant::now();
        llvm.optimise(&self.options)?;
        self.timings.optimise = clock.elapsed();
        let clock = Instant::now();
        let ptx = llvm.ptx()?;
        self.timings.to_ptx = clock.elapsed();
        Ok(ptx)
    }

    fn to_nvvm(&self, module: &mut Module<'s>) -> Result<(), MlirError> {
        let offsets = rewrite::barrier_offsets(module);
        self.run(module, NVGPU_TO_NVVM, Stage::Nvvm)?;
        rewrite::place_barriers(self.session, module, &offsets)?;
        rewrite::loop_over_waits(self.session, module)?;
        self.run(module, ALL_TO_NVVM, Stage::Nvvm)
    }

    fn to_llvm(&self, module: &mut Module<'s>) -> Result<LlvmModule, MlirError> {
        self.run(module, NVVM_TO_LLVM, Stage::Llvm)?;
        rewrite::pin_shared_addresses(self.session, module)?;
        rewrite::adopt_loop_annotations(module);
        if self.options.line_tables {
            self.run(module, LINE_TABLES, Stage::Llvm)?;
        }
        LlvmModule::translate(self.session, &gpu_modules(module), &self.options)
    }

    /// Runs passes; `stage` is where they lead. MLIR verifies after the last: after each would take twice the time.
    fn run(&self, module: &mut Module<'s>, passes: &str, stage: Stage) -> Result<(), MlirError> {
        let manager = PassManager::new(self.session.context());
        manager.enable_verifier(false);
        let error = |messages| MlirError::Pass { stage, messages };
        parse_pass_pipeline(manager.as_operation_pass_manager(), passes).map_err(|reason| {
            let mut messages = self.session.take_messages();
            messages.push(MlirMessage::error(reason.to_string()));
            error(messages)
        })?;
        manager.run(module).map_err(|_| error(self.session.take_messages()))?;
        self.session.verify(module, stage)
    }
}

/// The `gpu.module`s in `module`.
fn gpu_modules<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let ops = std::iter::successors(module.body().first_operation(), |op| op.next_in_block());
    ops.filter(|op| op.name().as_string_ref().as_str() == Ok("gpu.module")).collect()
}
