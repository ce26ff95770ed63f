//! LLVM: from MLIR's `llvm` dialect to PTX, through LLVM's C interface.
//!
//! This replaces MLIR's `gpu-module-to-binary`, for two things that pass does not give: it refuses chips that LLVM
//! knows, and it leaves inline assembly without the `convergent` attribute, which LLVM then duplicates into divergent
//! paths. All unsafe calls of the lowering are in this file; each owner of a pointer frees it when dropped.
#![allow(unsafe_code, reason = "LLVM's C interface; melior does not cover it")]

use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_uint, c_void},
    ptr,
    sync::Once,
};

use melior::ir::OperationRef;
use mlir_sys::{
    LLVMAddCallSiteAttribute, LLVMContextCreate, LLVMContextDispose, LLVMContextRef,
    LLVMContextSetDiagnosticHandler, LLVMCreateEnumAttribute, LLVMDiagnosticInfoRef, LLVMDisposeMemoryBuffer,
    LLVMDisposeMessage, LLVMDisposeModule, LLVMGetBufferSize, LLVMGetBufferStart, LLVMGetCalledValue,
    LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity, LLVMGetEnumAttributeKindForName,
    LLVMGetFirstBasicBlock, LLVMGetFirstFunction, LLVMGetFirstInstruction, LLVMGetInlineAsmHasSideEffects,
    LLVMGetNextBasicBlock, LLVMGetNextFunction, LLVMGetNextInstruction, LLVMGetValueName2, LLVMIsACallInst,
    LLVMIsAInlineAsm, LLVMMemoryBufferRef, LLVMModuleRef, LLVMPrintModuleToString, LLVMSetTarget,
    LLVMValueRef, mlirTranslateModuleToLLVMIR,
};

use super::{
    error::MlirError,
    message::{MlirMessage, MlirSeverity},
    session::Session,
};
use crate::lower::target::CodegenOptions;

/// Parts of LLVM's C interface that `mlir-sys` has no declarations of, since MLIR's headers do not use them.
mod c {
    use std::ffi::{c_char, c_int};

    use mlir_sys::{LLVMMemoryBufferRef, LLVMModuleRef};

    /// An opaque object of LLVM's.
    #[repr(C)]
    pub(super) struct Opaque {
        _private: [u8; 0],
    }
    pub(super) type Target = *mut Opaque;
    pub(super) type TargetMachine = *mut Opaque;
    pub(super) type TargetData = *mut Opaque;
    pub(super) type PassOptions = *mut Opaque;
    pub(super) type Error = *mut Opaque;

    unsafe extern "C" {
        pub(super) fn LLVMInitializeNVPTXTargetInfo();
        pub(super) fn LLVMInitializeNVPTXTarget();
        pub(super) fn LLVMInitializeNVPTXTargetMC();
        pub(super) fn LLVMInitializeNVPTXAsmPrinter();
        pub(super) fn LLVMGetTargetFromTriple(
            triple: *const c_char,
            target: *mut Target,
            message: *mut *mut c_char,
        ) -> c_int;
        pub(super) fn LLVMCreateTargetMachine(
            target: Target,
            triple: *const c_char,
            cpu: *const c_char,
            features: *const c_char,
            level: c_int,
            reloc: c_int,
            code_model: c_int,
        ) -> TargetMachine;
        pub(super) fn LLVMDisposeTargetMachine(machine: TargetMachine);
        pub(super) fn LLVMCreateTargetDataLayout(machine: TargetMachine) -> TargetData;
        pub(super) fn LLVMDisposeTargetData(data: TargetData);
        pub(super) fn LLVMSetModuleDataLayout(module: LLVMModuleRef, data: TargetData);
        pub(super) fn LLVMCreatePassBuilderOptions() -> PassOptions;
        pub(super) fn LLVMDisposePassBuilderOptions(options: PassOptions);
        pub(super) fn LLVMRunPasses(
            module: LLVMModuleRef,
            passes: *const c_char,
            machine: TargetMachine,
            options: PassOptions,
        ) -> Error;
        pub(super) fn LLVMGetErrorMessage(error: Error) -> *mut c_char;
        pub(super) fn LLVMDisposeErrorMessage(message: *mut c_char);
        pub(super) fn LLVMLinkModules2(into: LLVMModuleRef, from: LLVMModuleRef) -> c_int;
        pub(super) fn LLVMVerifyModule(
            module: LLVMModuleRef,
            action: c_int,
            message: *mut *mut c_char,
        ) -> c_int;
        pub(super) fn LLVMTargetMachineEmitToMemoryBuffer(
            machine: TargetMachine,
            module: LLVMModuleRef,
            file_type: c_int,
            message: *mut *mut c_char,
            buffer: *mut LLVMMemoryBufferRef,
        ) -> c_int;
    }
}

const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";

/// Beginnings of the names of intrinsics that synchronise or order, some of which LLVM does not mark convergent.
const SYNCHRONISING: [&str; 11] = [
    "llvm.nvvm.fence",
    "llvm.nvvm.membar",
    "llvm.nvvm.mbarrier",
    "llvm.nvvm.bar",
    "llvm.nvvm.cp.async",
    "llvm.nvvm.wgmma",
    "llvm.nvvm.tcgen05",
    "llvm.nvvm.setmaxnreg",
    "llvm.nvvm.clusterlaunchcontrol.try",
    "llvm.nvvm.griddepcontrol",
    "llvm.nvvm.elect.sync",
];

/// A module of LLVM IR, with the context that owns it.
pub(super) struct LlvmModule {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    machine: Machine,
    /// Boxed: LLVM holds its address.
    messages: Box<RefCell<Vec<MlirMessage>>>,
}

/// A target machine of LLVM's.
struct Machine(c::TargetMachine);

impl LlvmModule {
    /// Translates `gpu_modules`, whose ops are all of dialects that translate to LLVM IR, links them into one module,
    /// and marks convergent what has to be.
    pub(super) fn translate(
        session: &Session,
        gpu_modules: &[OperationRef<'_, '_>],
        options: &CodegenOptions,
    ) -> Result<Self, MlirError> {
        let (first, others) = gpu_modules.split_first().ok_or(MlirError::NoKernel)?;
        let machine = Machine::new(options)?;
        let messages = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the context is disposed of when `this` drops, or below; the handler's data outlives it.
        let (context, module) = unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(collect), (&raw const *messages).cast_mut().cast());
            (context, mlirTranslateModuleToLLVMIR(first.to_raw(), context))
        };
        if module.is_null() {
            // SAFETY: nothing else holds the context.
            unsafe { LLVMContextDispose(context) };
            let mut all = session.take_messages();
            all.append(&mut messages.take());
            return Err(MlirError::Codegen { messages: all });
        }
        let this = Self { module, context, machine, messages };
        for other in others {
            // SAFETY: context and module live in `this`; linking takes over the other module, whatever it answers.
            let failed = unsafe {
                let other = mlirTranslateModuleToLLVMIR(other.to_raw(), this.context);
                other.is_null() || c::LLVMLinkModules2(this.module, other) != 0
            };
            if failed {
                let mut all = session.take_messages();
                all.append(&mut this.messages.take());
                return Err(MlirError::Codegen { messages: all });
            }
        }
        // SAFETY: module and machine live in `this`.
        unsafe {
            LLVMSetTarget(module, TRIPLE.as_ptr());
            let data = c::LLVMCreateTargetDataLayout(this.machine.0);
            c::LLVMSetModuleDataLayout(module, data);
            c::LLVMDisposeTargetData(data);
        }
        this.mark_convergent();
        this.verify()?;
        Ok(this)
    }

    /// The module as text.
    pub(super) fn text(&self) -> String {
        // SAFETY: the module lives; the message is ours to free.
        unsafe { take_message(LLVMPrintModuleToString(self.module)) }
    }

    /// Runs LLVM's own pipeline for the level of optimisation.
    pub(super) fn optimise(&self, options: &CodegenOptions) -> Result<(), MlirError> {
        let passes = CString::new(format!("default<O{}>", options.opt_level.number())).unwrap_or_default();
        // SAFETY: module and machine live in `self`; options and message are freed here.
        let failure = unsafe {
            let builder = c::LLVMCreatePassBuilderOptions();
            let error = c::LLVMRunPasses(self.module, passes.as_ptr(), self.machine.0, builder);
            c::LLVMDisposePassBuilderOptions(builder);
            (!error.is_null()).then(|| {
                let message = c::LLVMGetErrorMessage(error);
                let text = CStr::from_ptr(message).to_string_lossy().into_owned();
                c::LLVMDisposeErrorMessage(message);
                text
            })
        };
        failure.map_or(Ok(()), |text| Err(self.error(Some(text))))
    }

    /// Makes PTX.
    pub(super) fn ptx(&self) -> Result<String, MlirError> {
        const ASSEMBLY: i32 = 0;
        let (mut message, mut buffer): (*mut c_char, LLVMMemoryBufferRef) =
            (ptr::null_mut(), ptr::null_mut());
        // SAFETY: module and machine live in `self`; message and buffer are written only as the result says.
        unsafe {
            let failed = c::LLVMTargetMachineEmitToMemoryBuffer(
                self.machine.0,
                self.module,
                ASSEMBLY,
                &raw mut message,
                &raw mut buffer,
            );
            if failed != 0 || buffer.is_null() {
                return Err(self.error((!message.is_null()).then(|| take_message(message))));
            }
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            );
            let text = String::from_utf8_lossy(bytes).into_owned();
            LLVMDisposeMemoryBuffer(buffer);
            if self.messages.borrow().iter().any(|message| message.severity == MlirSeverity::Error) {
                return Err(self.error(None));
            }
            Ok(text)
        }
    }

    /// LLVM's verifier, which MLIR's translation does not run.
    fn verify(&self) -> Result<(), MlirError> {
        const RETURN_STATUS: i32 = 2;
        let mut message = ptr::null_mut();
        // SAFETY: the module lives; the message is always set, and ours to free.
        let (broken, text) = unsafe {
            let broken = c::LLVMVerifyModule(self.module, RETURN_STATUS, &raw mut message);
            (broken != 0, take_message(message))
        };
        if broken { Err(self.error(Some(text))) } else { Ok(()) }
    }

    /// Marks as convergent each call that synchronises: LLVM may then neither copy it into two paths nor move it under
    /// a condition. LLVM's own declarations do so for some intrinsics, and MLIR cannot say it of inline assembly.
    fn mark_convergent(&self) {
        const FUNCTION: c_uint = c_uint::MAX;
        let name = "convergent";
        // SAFETY: the module lives, and nothing is added or removed during the walk.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let convergent = LLVMCreateEnumAttribute(self.context, kind, 0);
            let mut function = LLVMGetFirstFunction(self.module);
            while !function.is_null() {
                let mut block = LLVMGetFirstBasicBlock(function);
                while !block.is_null() {
                    let mut instruction = LLVMGetFirstInstruction(block);
                    while !instruction.is_null() {
                        if synchronises(instruction) {
                            LLVMAddCallSiteAttribute(instruction, FUNCTION, convergent);
                        }
                        instruction = LLVMGetNextInstruction(instruction);
                    }
                    block = LLVMGetNextBasicBlock(block);
                }
                function = LLVMGetNextFunction(function);
            }
        }
    }

    fn error(&self, text: Option<String>) -> MlirError {
        let mut messages = self.messages.take();
        messages.extend(text.map(MlirMessage::error));
        MlirError::Codegen { messages }
    }
}

impl Drop for LlvmModule {
    fn drop(&mut self) {
        // SAFETY: both are ours; the module goes before its context.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

impl Machine {
    fn new(options: &CodegenOptions) -> Result<Self, MlirError> {
        const DEFAULT: i32 = 0;
        initialise();
        let chip = options.chip.name();
        let error = |reason: String| MlirError::Target { chip, reason };
        let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the triple is a C string; the message is set only on failure, and then ours to free.
        unsafe {
            if c::LLVMGetTargetFromTriple(TRIPLE.as_ptr(), &raw mut target, &raw mut message) != 0 {
                return Err(error(take_message(message)));
            }
        }
        let (cpu, features) = (CString::new(chip), CString::new(options.chip.ptx_feature()));
        let (Ok(cpu), Ok(features)) = (cpu, features) else {
            return Err(error("its name is no C string".into()));
        };
        // SAFETY: all strings are C strings that outlive the call.
        let machine = unsafe {
            c::LLVMCreateTargetMachine(
                target,
                TRIPLE.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                i32::from(options.opt_level.number()),
                DEFAULT,
                DEFAULT,
            )
        };
        if machine.is_null() {
            return Err(error("it has no target machine".into()));
        }
        Ok(Self(machine))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: ours, and not null.
        unsafe { c::LLVMDisposeTargetMachine(self.0) }
    }
}

/// Makes LLVM's back end for NVIDIA known, once in a process.
fn initialise() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: they only register, and run once.
        unsafe {
            c::LLVMInitializeNVPTXTargetInfo();
            c::LLVMInitializeNVPTXTarget();
            c::LLVMInitializeNVPTXTargetMC();
            c::LLVMInitializeNVPTXAsmPrinter();
        }
    });
}

/// Is `instruction` a call of something that synchronises?
///
/// # Safety
///
/// `instruction` must be a live instruction.
unsafe fn synchronises(instruction: LLVMValueRef) -> bool {
    // SAFETY: the caller's promise; the callee of a call is a live value.
    unsafe {
        if LLVMIsACallInst(instruction).is_null() {
            return false;
        }
        let callee = LLVMGetCalledValue(instruction);
        if callee.is_null() {
            return false;
        }
        if !LLVMIsAInlineAsm(callee).is_null() {
            return LLVMGetInlineAsmHasSideEffects(callee) != 0;
        }
        let mut length = 0;
        let name = LLVMGetValueName2(callee, &raw mut length);
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
        SYNCHRONISING.iter().any(|prefix| name.starts_with(prefix.as_bytes()))
    }
}

/// Takes what LLVM reports while it works.
unsafe extern "C" fn collect(info: LLVMDiagnosticInfoRef, data: *mut c_void) {
    // SAFETY: `data` is the cell that `translate` handed over, and lives as long as the context.
    unsafe {
        let severity = match LLVMGetDiagInfoSeverity(info) {
            0 => MlirSeverity::Error,
            1 => MlirSeverity::Warning,
            2 => MlirSeverity::Remark,
            _ => MlirSeverity::Note,
        };
        let text = take_message(LLVMGetDiagInfoDescription(info));
        let messages = &*data.cast::<RefCell<Vec<MlirMessage>>>();
        messages.borrow_mut().push(MlirMessage { severity, ..MlirMessage::error(text) });
    }
}

/// Copies a message of LLVM's, and frees it.
///
/// # Safety
///
/// `message` must be null or a message that LLVM leaves to the caller.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
