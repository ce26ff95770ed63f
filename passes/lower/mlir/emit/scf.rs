//! `scf`: structured control flow. Each op comes with emitters for its regions; the caller ends each region with
//! [`Emitter::yield_values`].

use melior::ir::{Block, OperationRef, Region, RegionLike, Type, Value, ValueLike, operation::OperationLike};

use super::{Emitted, Emitter};
use crate::lower::mlir::rewrite::LOOP_ANNOTATION;

/// An `scf.if`.
#[derive(Debug)]
pub struct If<'c, 'a> {
    /// Where the condition holds.
    pub then: Emitter<'c, 'a>,
    /// Where it does not.
    pub otherwise: Emitter<'c, 'a>,
    /// What the two yield.
    pub results: Vec<Value<'c, 'a>>,
}

/// An `scf.for`.
#[derive(Debug)]
pub struct For<'c, 'a> {
    /// The body.
    pub body: Emitter<'c, 'a>,
    /// The counter.
    pub counter: Value<'c, 'a>,
    /// What the iteration before yielded.
    pub carried: Vec<Value<'c, 'a>>,
    /// What the last iteration yields.
    pub results: Vec<Value<'c, 'a>>,
}

/// How an `scf.for` runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopForm {
    /// Whether LLVM is kept from unrolling it: right for loops that synchronise, whose bodies are to come out once.
    pub keep_rolled: bool,
    /// Whether the counter is compared with its bound as an unsigned number.
    pub unsigned: bool,
}

/// An `scf.while`.
#[derive(Debug)]
pub struct While<'c, 'a> {
    /// The part before the test; ends with [`Emitter::condition`].
    pub before: Emitter<'c, 'a>,
    /// What enters it.
    pub entering: Vec<Value<'c, 'a>>,
    /// The body.
    pub body: Emitter<'c, 'a>,
    /// What the test hands on to it.
    pub carried: Vec<Value<'c, 'a>>,
    /// What the test hands on at the end.
    pub results: Vec<Value<'c, 'a>>,
}

impl<'c, 'a> Emitter<'c, 'a> {
    /// `scf.if` without results and without an `else`. The caller ends `then` with `yield_values(&[])`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn if_then(&self, condition: Value<'c, 'a>) -> Emitted<Self> {
        self.if_then_op(condition).map(|(then, _)| then)
    }

    /// The same, with the op.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn if_then_op(&self, condition: Value<'c, 'a>) -> Emitted<(Self, OperationRef<'c, 'a>)> {
        let regions = vec![self.region(&[]), Region::new()];
        let op = self.op_with_regions("scf.if", &[condition], &[], &[], regions)?;
        Ok((self.enter(op, 0)?, op))
    }

    /// `scf.if` with both branches.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn if_else(&self, condition: Value<'c, 'a>, results: &[Type<'c>]) -> Emitted<If<'c, 'a>> {
        let regions = vec![self.region(&[]), self.region(&[])];
        let op = self.op_with_regions("scf.if", &[condition], results, &[], regions)?;
        Ok(If { then: self.enter(op, 0)?, otherwise: self.enter(op, 1)?, results: Self::results(op) })
    }

    /// `scf.for` from `lower` up to `upper`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn for_loop(
        &self,
        [lower, upper, step]: [Value<'c, 'a>; 3],
        initial: &[Value<'c, 'a>],
        form: LoopForm,
    ) -> Emitted<For<'c, 'a>> {
        let operands = [&[lower, upper, step], initial].concat();
        let types: Vec<_> = initial.iter().map(|value| value.r#type()).collect();
        let arguments = [&[lower.r#type()], types.as_slice()].concat();
        let mut attributes = Vec::new();
        if form.keep_rolled {
            let rolled = self.attribute("#llvm.loop_annotation<unroll = <disable = true>>")?;
            attributes.push((LOOP_ANNOTATION, rolled));
        }
        if form.unsigned {
            attributes.push(("unsignedCmp", self.unit_attribute()));
        }
        let regions = vec![self.region(&arguments)];
        let op = self.op_with_regions("scf.for", &operands, &types, &attributes, regions)?;
        let body = self.enter(op, 0)?;
        Ok(For {
            body,
            counter: body.argument(0)?,
            carried: (1..arguments.len()).map(|index| body.argument(index)).collect::<Emitted<_>>()?,
            results: Self::results(op),
        })
    }

    /// `scf.while`; `carried` are the types that the test hands on.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn while_loop(&self, initial: &[Value<'c, 'a>], carried: &[Type<'c>]) -> Emitted<While<'c, 'a>> {
        let types: Vec<_> = initial.iter().map(|value| value.r#type()).collect();
        let regions = vec![self.region(&types), self.region(carried)];
        let op = self.op_with_regions("scf.while", initial, carried, &[], regions)?;
        let (before, body) = (self.enter(op, 0)?, self.enter(op, 1)?);
        Ok(While {
            entering: (0..types.len()).map(|index| before.argument(index)).collect::<Emitted<_>>()?,
            carried: (0..carried.len()).map(|index| body.argument(index)).collect::<Emitted<_>>()?,
            results: Self::results(op),
            before,
            body,
        })
    }

    /// `scf.yield`: the end of a region.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn yield_values(&self, values: &[Value<'c, 'a>]) -> Emitted<()> {
        self.op("scf.yield", values, &[], &[]).map(drop)
    }

    /// `scf.condition`: the end of the first region of `scf.while`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn condition(&self, again: Value<'c, 'a>, values: &[Value<'c, 'a>]) -> Emitted<()> {
        self.op("scf.condition", &[&[again], values].concat(), &[], &[]).map(drop)
    }

    /// A region of one block with these arguments.
    pub(super) fn region(&self, arguments: &[Type<'c>]) -> Region<'c> {
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument, self.location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        region
    }

    /// An emitter for the first block of a region of `op`.
    pub(super) fn enter(&self, op: OperationRef<'c, 'a>, region: usize) -> Emitted<Self> {
        let block = op.region(region).ok().and_then(|region| region.first_block());
        block.map(|block| self.inside(block)).ok_or_else(|| self.op_error(op, "a region without a block"))
    }

    /// An argument of the block.
    pub(super) fn argument(&self, index: usize) -> Emitted<Value<'c, 'a>> {
        use melior::ir::BlockLike;
        self.block.argument(index).map(Value::from).map_err(|error| super::MlirError::Op {
            op: "a block".to_owned(),
            messages: vec![super::MlirMessage::error(error.to_string())],
        })
    }
}
