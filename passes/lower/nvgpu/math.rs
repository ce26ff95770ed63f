//! Dialect `math`: by the hardware's approximations where it has them, else by LLVM's intrinsics. Ops of the dialect
//! itself would become calls of a library that is not there.

use melior::ir::{Value as Mlir, ValueLike};
use tidegate_ir::ops::MathOp;
use tidegate_ir::{Op, Value};

use super::{
    Lower, Lowering, unsupported,
    value::{Array, Low},
};

const LOG2_E: f64 = std::f64::consts::LOG2_E;
const LN_2: f64 = std::f64::consts::LN_2;
const LOG10_2: f64 = std::f64::consts::LOG10_2;

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// An op of dialect `math`.
    pub(super) fn math(&mut self, math: MathOp, op: Op) -> Lower<()> {
        match math {
            MathOp::AbsF => self.intrinsic(op, "llvm.fabs", &[]),
            MathOp::Ceil => self.intrinsic(op, "llvm.ceil", &[]),
            MathOp::Floor => self.intrinsic(op, "llvm.floor", &[]),
            MathOp::Trunc => self.intrinsic(op, "llvm.trunc", &[]),
            MathOp::Round => self.intrinsic(op, "llvm.round", &[]),
            MathOp::RoundEven => self.intrinsic(op, "llvm.roundeven", &[]),
            MathOp::Sqrt => self.intrinsic(op, "llvm.sqrt", &[]),
            MathOp::CopySign => self.intrinsic(op, "llvm.copysign", &[]),
            MathOp::Fma => self.intrinsic(op, "llvm.fma", &[]),
            MathOp::CtPop => self.intrinsic(op, "llvm.ctpop", &[]),
            // Of zero, and of the least number, they are defined.
            MathOp::AbsI => self.intrinsic(op, "llvm.abs", &[false]),
            MathOp::CountLeadingZeros => self.intrinsic(op, "llvm.ctlz", &[false]),
            MathOp::CountTrailingZeros => self.intrinsic(op, "llvm.cttz", &[false]),
            MathOp::Exp2 => self.approximate(op, &|this, x| this.exp2(x[0])),
            MathOp::Exp => self.approximate(op, &|this, x| this.exp(x[0])),
            MathOp::Log2 => self.approximate(op, &|this, x| this.log2(x[0])),
            MathOp::Log => self.approximate(op, &|this, x| this.scaled(this.log2(x[0])?, LN_2)),
            MathOp::Log10 => self.approximate(op, &|this, x| this.scaled(this.log2(x[0])?, LOG10_2)),
            MathOp::Rsqrt => {
                self.approximate(op, &|this, x| this.unary("llvm.nvvm.rsqrt.approx.ftz.f", x[0]))
            }
            MathOp::Sin => self.approximate(op, &|this, x| this.unary("llvm.nvvm.sin.approx.f", x[0])),
            MathOp::Cos => self.approximate(op, &|this, x| this.unary("llvm.nvvm.cos.approx.f", x[0])),
            MathOp::Tanh => self.approximate(op, &|this, x| this.tanh(x[0])),
            MathOp::PowF => self.approximate(op, &|this, x| {
                let log = this.log2(x[0])?;
                this.exp2(this.e.binary("arith.mulf", log, x[1])?)
            }),
            MathOp::Erf => self.approximate(op, &|this, x| this.erf(x[0])),
        }
    }

    /// An intrinsic of LLVM's, which takes numbers and vectors alike; with flags behind the operands.
    fn intrinsic(&mut self, op: Op, name: &str, flags: &[bool]) -> Lower<()> {
        let module = self.module();
        let result = module.result(op, 0);
        let flags = flags.iter().map(|&flag| Ok(self.e.i1(flag)?)).collect::<Lower<Vec<_>>>()?;
        let operands: Vec<Value> = module.operands(op).collect();
        if module.types.as_vector(module.ty(result)).is_none() {
            let mut arguments =
                operands.iter().map(|&value| self.number(op, value)).collect::<Lower<Vec<_>>>()?;
            let Some(ty) = arguments.first().map(|argument| argument.r#type()) else { return Ok(()) };
            arguments.extend(flags);
            let number = self.e.intrinsic(name, &arguments, ty)?;
            let ty = self.type_of_number(op, result)?;
            let number = if number.r#type() == ty { number } else { self.e.to_integer(number, ty)? };
            self.set_number(op, number);
            return Ok(());
        }
        let form = self.form(op, result)?;
        let mut inputs = Vec::new();
        for &value in &operands {
            inputs.push(self.operand_chunks(op, value, &form)?);
        }
        let chunks = (0..usize::try_from(form.rounds).unwrap_or_default())
            .map(|round| {
                let mut arguments: Vec<_> =
                    inputs.iter().filter_map(|chunks| chunks.get(round).copied()).collect();
                arguments.extend(&flags);
                Ok(self.e.intrinsic(name, &arguments, form.chunk)?)
            })
            .collect::<Lower<Vec<_>>>()?;
        self.values.insert(result, Low::Array(Array { layout: form.layout, chunks }));
        Ok(())
    }

    /// A function of `f32` numbers; those of 16 bits go through `f32`.
    fn approximate(
        &mut self,
        op: Op,
        function: &dyn Fn(&Self, &[Mlir<'c, 'a>]) -> Lower<Mlir<'c, 'a>>,
    ) -> Lower<()> {
        let module = self.module();
        let elem = module.types.elem_of(module.ty(module.result(op, 0)));
        let bits = module.types.bit_width(elem).unwrap_or(64);
        if bits > 32 {
            return Err(unsupported(module, op, "has no approximation for numbers of 64 bits").into());
        }
        let own = self.number_type(op, elem)?;
        let single = self.e.types().f32;
        let operands: Vec<Value> = module.operands(op).collect();
        self.map_operands(op, &operands, &|this, elements| {
            let widened = elements
                .iter()
                .map(|&element| match bits {
                    32 => Ok(element),
                    _ => Ok(this.e.convert("arith.extf", element, single)?),
                })
                .collect::<Lower<Vec<_>>>()?;
            let result = function(this, &widened)?;
            match bits {
                32 => Ok(result),
                _ => Ok(this.e.convert("arith.truncf", result, own)?),
            }
        })
    }

    fn unary(&self, name: &str, x: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        Ok(self.e.intrinsic(name, &[x], self.e.types().f32)?)
    }

    fn scaled(&self, x: Mlir<'c, 'a>, factor: f64) -> Lower<Mlir<'c, 'a>> {
        let factor = self.e.float(self.e.types().f32, factor)?;
        Ok(self.e.binary("arith.mulf", x, factor)?)
    }

    fn exp2(&self, x: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        self.unary("llvm.nvvm.ex2.approx.ftz.f", x)
    }

    fn exp(&self, x: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        self.exp2(self.scaled(x, LOG2_E)?)
    }

    fn log2(&self, x: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        self.unary("llvm.nvvm.lg2.approx.ftz.f", x)
    }

    fn tanh(&self, x: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        let result =
            self.e.inline_asm("tanh.approx.f32 $0, $1;", "=f,f", &[x], Some(self.e.types().f32), false)?;
        Ok(result.unwrap_or(x))
    }

    /// Abramowitz and Stegun 7.1.26: off by at most 1.5e-7, and by what `ex2.approx` adds.
    fn erf(&self, x: Mlir<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        const COEFFICIENTS: [f64; 5] =
            [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
        let e = self.e;
        let single = e.types().f32;
        let (mul, add) = ("arith.mulf", "arith.addf");
        let magnitude = e.intrinsic("llvm.fabs", &[x], single)?;
        let one = e.float(single, 1.0)?;
        let denominator = e.binary(add, self.scaled(magnitude, 0.327_591_1)?, one)?;
        let t = e.intrinsic("llvm.nvvm.rcp.approx.ftz.f", &[denominator], single)?;
        let mut sum = e.float(single, 0.0)?;
        for coefficient in COEFFICIENTS {
            sum = e.binary(mul, e.binary(add, sum, e.float(single, coefficient)?)?, t)?;
        }
        let square = e.binary(mul, magnitude, magnitude)?;
        let decay = self.exp(e.value("arith.negf", &[square], single, &[])?)?;
        let value = e.binary("arith.subf", one, e.binary(mul, sum, decay)?)?;
        Ok(e.intrinsic("llvm.copysign", &[value, x], single)?)
    }
}
