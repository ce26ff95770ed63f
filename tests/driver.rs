//! What the driver makes of failures: errors of MLIR come back as diagnostics, nothing ends the process, and a wrong
//! entry point is the user's error.
#![cfg(feature = "mlir")]

use tidegate::driver;
use tidegate::ir::diag::{Diagnostics, codes};
use tidegate::ir::ops::{Opcode, TgOp};
use tidegate::ir::text::parse;
use tidegate::ir::{EntityId, Module};
use tidegate::passes::lower::mlir::{MlirError, Session, Stage};
use tidegate::passes::lower::nvgpu::report_mlir;
use tidegate::passes::lower::target::{Chip, CodegenOptions};

const KERNEL: &str = "tg.kernel @k() {
  tg.warp_specialize {
    role @one warps 1 { tg.thread_sync }
    role @two { tg.thread_sync }
  }
}
";

fn module(text: &str) -> Module {
    let mut diags = Diagnostics::new();
    let (module, read) = parse("k.mlir", text, &mut diags);
    assert!(read.is_ok(), "{:?}", diags.into_vec());
    module
}

#[test]
fn an_error_of_mlir_comes_back_at_the_op_it_is_about() {
    let module = module(KERNEL);
    let op =
        module.walk(module.top()).into_iter().find(|&op| module.opcode(op) == Opcode::Tg(TgOp::ThreadSync));
    let op = op.expect("a tg.thread_sync");
    let session = Session::new().expect("MLIR has what lowering needs");
    let text = format!(
        "gpu.module @k {{ llvm.func @f(%p: !llvm.ptr<3>, %n: i64) {{
           \"nvvm.mbarrier.init\"(%p, %n) : (!llvm.ptr<3>, i64) -> () loc(\"tg.op#{}\"(\"k.mlir\":3:5))
           llvm.return
         }} }}",
        op.index()
    );
    let error = session.parse(&text).expect_err("a count is an i32");
    let mut diags = Diagnostics::new();
    let _ = report_mlir(&module, &error, &mut diags);
    let [found] = &diags.into_vec()[..] else { panic!("one diagnostic") };
    assert_eq!(found.code, codes::MLIR_ERROR);
    assert_eq!(found.primary_span(), module.span(op));
    assert!(found.labels.iter().any(|label| label.message.contains("nvvm.mbarrier.init")), "{found:?}");
}

#[test]
fn a_missing_dialect_and_a_type_that_does_not_fit_are_named() {
    let module = module(KERNEL);
    let session = Session::new().expect("MLIR has what lowering needs");
    let errors = [
        (MlirError::MissingDialect { dialect: "nvgpu" }, "`nvgpu`"),
        (session.parse_type("!absent.barrier<4>").expect_err("no such dialect"), "absent"),
        (session.parse_type("memref<4x!nvgpu.mbarrier.token, 3>").expect_err("no element"), "mbarrier.token"),
    ];
    for (error, name) in errors {
        let mut diags = Diagnostics::new();
        let _ = report_mlir(&module, &error, &mut diags);
        let [found] = &diags.into_vec()[..] else { panic!("one diagnostic") };
        assert!(found.code == codes::MLIR_ERROR && found.message.contains(name), "{found:?}");
    }
}

#[test]
fn a_role_is_no_entry_point() {
    let mut diags = Diagnostics::new();
    let mut module = module(KERNEL);
    assert!(driver::only_kernel(&mut module, "two", &mut diags).is_err());
    let [found] = &diags.into_vec()[..] else { panic!("one diagnostic") };
    assert_eq!(found.code, codes::NOT_A_KERNEL);
    assert!(found.labels.iter().any(|label| label.message == "this is a role of kernel `@k`"), "{found:?}");
    assert!(found.helps.iter().any(|help| help.contains("`@k`")), "{found:?}");
    // The twin: the kernel that has the role.
    let mut diags = Diagnostics::new();
    assert!(driver::only_kernel(&mut module, "k", &mut diags).is_ok());
}

#[test]
fn a_module_without_kernels_is_the_users_error() {
    let mut diags = Diagnostics::new();
    let options = CodegenOptions::new(Chip::Sm90a);
    assert!(driver::emit(&module(""), Stage::Nvgpu, options, &mut diags).is_err());
    let [found] = &diags.into_vec()[..] else { panic!("one diagnostic") };
    assert_eq!(found.code, codes::NOT_A_KERNEL);
}
