//! The MLIR context.

use std::{cell::RefCell, rc::Rc};

use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Attribute, Module, Type, operation::OperationLike},
    utility::{register_all_dialects, register_all_llvm_translations, register_all_passes},
};

use super::{error::MlirError, message::MlirMessage, pipeline::Stage};

/// The dialects that lowering makes ops of, each with an op that shows it is there. Loading these alone takes 3 ms,
/// loading all of MLIR's 8 to 10 ms. Passes load what else they need.
const DIALECTS: [(&str, &str); 10] = [
    ("gpu", "gpu.module"),
    ("nvgpu", "nvgpu.mbarrier.create"),
    ("nvvm", "nvvm.barrier"),
    ("llvm", "llvm.func"),
    ("scf", "scf.if"),
    ("cf", "cf.br"),
    ("arith", "arith.constant"),
    ("math", "math.exp2"),
    ("memref", "memref.view"),
    ("vector", "vector.load"),
];

/// An MLIR context with what lowering needs. It keeps every diagnostic; none goes to the error stream.
///
/// One session serves one thread.
#[derive(Debug)]
pub struct Session {
    context: Context,
    messages: Rc<RefCell<Vec<MlirMessage>>>,
}

impl Session {
    /// A context with the dialects, passes and translations that lowering needs.
    ///
    /// # Errors
    ///
    /// [`MlirError::MissingDialect`] where this build of MLIR lacks one.
    pub fn new() -> Result<Self, MlirError> {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        Self::with_registry(&registry)
    }

    fn with_registry(registry: &DialectRegistry) -> Result<Self, MlirError> {
        let context = Context::new_with_registry(registry, false);
        let messages = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&messages);
        context.attach_diagnostic_handler(move |diagnostic| {
            sink.borrow_mut().push(MlirMessage::of(&diagnostic));
            true
        });
        for (dialect, op) in DIALECTS {
            // The answer for a dialect that is not there must not be looked at: it is a null pointer.
            let _ = context.get_or_load_dialect(dialect);
            if !context.is_registered_operation(op) {
                return Err(MlirError::MissingDialect { dialect });
            }
        }
        register_all_llvm_translations(&context);
        register_all_passes();
        Ok(Self { context, messages })
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Takes the messages that came in since the last call.
    pub fn take_messages(&self) -> Vec<MlirMessage> {
        self.messages.take()
    }

    /// Reads a module.
    ///
    /// # Errors
    ///
    /// [`MlirError::Parse`].
    pub fn parse(&self, text: &str) -> Result<Module<'_>, MlirError> {
        Module::parse(&self.context, text).ok_or_else(|| MlirError::Parse { messages: self.take_messages() })
    }

    /// The type that MLIR writes as `text`. Unlike the constructors of the bindings, which take any parts and may
    /// crash on those that do not fit, this checks.
    ///
    /// # Errors
    ///
    /// [`MlirError::Type`].
    pub fn parse_type(&self, text: &str) -> Result<Type<'_>, MlirError> {
        Type::parse(&self.context, text)
            .ok_or_else(|| MlirError::Type { text: text.to_owned(), messages: self.take_messages() })
    }

    /// The attribute that MLIR writes as `text`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Attribute`].
    pub fn parse_attribute(&self, text: &str) -> Result<Attribute<'_>, MlirError> {
        Attribute::parse(&self.context, text)
            .ok_or_else(|| MlirError::Attribute { text: text.to_owned(), messages: self.take_messages() })
    }

    /// Has MLIR verify `module`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Verify`].
    pub fn verify(&self, module: &Module<'_>, stage: Stage) -> Result<(), MlirError> {
        if module.as_operation().verify() {
            Ok(())
        } else {
            Err(MlirError::Verify { stage, messages: self.take_messages() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::mlir::{MlirSeverity, OpTag, SourceLine};

    #[test]
    fn a_missing_dialect_is_an_error_that_names_it() {
        let error = Session::with_registry(&DialectRegistry::new()).unwrap_err();
        assert_eq!(error, MlirError::MissingDialect { dialect: "gpu" });
    }

    #[test]
    fn a_type_that_does_not_fit_is_an_error_with_mlirs_reason() {
        let session = Session::new().unwrap();
        let error = session.parse_type("memref<4x!nvgpu.mbarrier.token, 3>").unwrap_err();
        assert!(error.to_string().contains("invalid memref element type"), "{error}");
        let error = session.parse_type("!nowhere.barrier<4>").unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
        assert!(session.parse_type("!nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>").is_ok());
    }

    #[test]
    fn an_attribute_that_does_not_parse_is_an_error() {
        let session = Session::new().unwrap();
        let error = session.parse_attribute("#nvvm.mem_scope<galaxy>").unwrap_err();
        assert!(matches!(&error, MlirError::Attribute { messages, .. } if !messages.is_empty()), "{error}");
    }

    #[test]
    fn verification_errors_come_with_op_line_and_notes() {
        let session = Session::new().unwrap();
        let text = r#"
            gpu.module @k {
              llvm.func @f(%p: !llvm.ptr<3>, %n: i64) {
                "nvvm.mbarrier.init"(%p, %n) : (!llvm.ptr<3>, i64) -> () loc("tg.op#7"("ring.mlir":3:5))
                llvm.return
              }
            }"#;
        // The parser verifies as well.
        let error = session.parse(text).unwrap_err();
        let [message] = error.messages() else { panic!("one message: {error:?}") };
        assert_eq!(message.severity, MlirSeverity::Error);
        assert_eq!(message.op, Some(OpTag(7)));
        assert_eq!(message.line, Some(SourceLine { file: "ring.mlir".into(), line: 3, column: 5 }));
        assert!(message.text.contains("nvvm.mbarrier.init"), "{message}");
        assert_eq!(session.take_messages(), [], "taken with the error");
    }
}
