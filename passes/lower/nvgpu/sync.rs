//! Fences, joins of blocks and clusters, registers, and what is for people.

use tidegate_ir::Op;

use super::{Lower, Lowering, unsupported};
use crate::lower::mlir::emit::FenceProxy;

impl Lowering<'_, '_, '_> {
    /// `tg.commit_smem`: every lane fences what it wrote; then they are joined.
    pub(super) fn commit_smem(&mut self) -> Lower<()> {
        self.close()?;
        self.e.fence_proxy(FenceProxy::SharedBlock)?;
        self.join()
    }

    /// `tg.block_sync`.
    pub(super) fn block_sync(&mut self) -> Lower<()> {
        self.close()?;
        Ok(self.e.block_barrier()?)
    }

    /// `tg.cluster_sync`.
    pub(super) fn cluster_sync(&mut self) -> Lower<()> {
        self.close()?;
        Ok(self.e.cluster_barrier(false)?)
    }

    /// `tg.set_max_registers`.
    pub(super) fn set_max_registers(&mut self, op: Op) -> Lower<()> {
        if self.thread.single {
            // All lanes have done it before.
            return Ok(());
        }
        self.close()?;
        let module = self.module();
        let count = module.attr_i64(op, "count").and_then(|count| u32::try_from(count).ok());
        let Some(count) = count else {
            return Err(unsupported(module, op, "has no count of registers").into());
        };
        // `increase` is the first keyword.
        let increase = module.attr_i64(op, "action").unwrap_or(0) == 0;
        Ok(self.e.set_max_registers(count, increase)?)
    }

    /// `tg.debug_print`: by the elected lane.
    pub(super) fn debug_print(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let format = module.attr_str(op, "format").unwrap_or_default();
        let mut args = Vec::new();
        let mut text = String::new();
        let mut parts = format.split("{}");
        text += &parts.next().unwrap_or_default().replace('%', "%%");
        let values: Vec<_> = module.operands(op).collect();
        for (part, &value) in parts.zip(&values) {
            if module.types.as_vector(module.ty(value)).is_some() {
                text += "<array>";
            } else {
                let number = self.number(op, value)?;
                let (conversion, number) = self.printable(op, value, number)?;
                text += conversion;
                args.push(number);
            }
            text += &part.replace('%', "%%");
        }
        text.push('\n');
        let e = self.elected()?;
        let format = ("format", e.string_attribute(&text));
        e.op("gpu.printf", &args, &[], &[format])?;
        Ok(())
    }

    /// `tg.assert`: the lane that finds the condition false says so, and stops the kernel.
    pub(super) fn assert(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let module = self.module();
        let condition = self.named_number(op, "condition")?;
        let message = module.attr_str(op, "message").unwrap_or_default().replace('%', "%%");
        let e = self.e;
        let failed = e.if_then(e.binary("arith.xori", condition, e.i1(true)?)?)?;
        let format = ("format", failed.string_attribute(&format!("assertion failed: {message}\n")));
        failed.op("gpu.printf", &[], &[], &[format])?;
        failed.inline_asm("trap;", "", &[], None, true)?;
        Ok(failed.yield_values(&[])?)
    }
}

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// How C's `printf` prints a number, and the number as it wants it.
    fn printable(
        &self,
        op: Op,
        value: tidegate_ir::Value,
        number: melior::ir::Value<'c, 'a>,
    ) -> Lower<(&'static str, melior::ir::Value<'c, 'a>)> {
        use tidegate_ir::types::TypeKind;
        let e = self.e;
        let module = self.module();
        match module.types.kind(module.ty(value)) {
            TypeKind::Index => Ok(("%lld", e.to_integer(number, e.types().i64)?)),
            TypeKind::Integer { width: 1, .. } => Ok(("%d", e.to_integer(number, e.types().i32)?)),
            TypeKind::Integer { width: 64, .. } => Ok(("%lld", number)),
            TypeKind::Integer { width: 32, .. } => Ok(("%d", number)),
            TypeKind::Integer { width, .. } if *width < 32 => {
                Ok(("%d", e.convert("arith.extsi", number, e.types().i32)?))
            }
            TypeKind::Float(kind) if kind.bits() == 64 => Ok(("%g", number)),
            TypeKind::Float(kind) if kind.bits() >= 16 => {
                let double = e.parse_type("f64")?;
                Ok(("%g", e.convert("arith.extf", number, double)?))
            }
            _ => Err(unsupported(module, op, "prints a number of a type that has no lowering").into()),
        }
    }
}
