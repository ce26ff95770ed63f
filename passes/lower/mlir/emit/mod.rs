//! Builders for the ops that lowering makes. An op is built by its name, with operands in the order of its definition
//! (which for `nvgpu` is not the order of its text), so that no generated code is needed and nothing of MLIR is
//! parsed at build time.
//!
//! An [`Emitter`] appends to the end of one block, at one location. Ops with regions give an emitter for each region.
//!
//! MLIR checks the ops when the module is [verified](super::Session::verify): a builder can make an op that does not
//! verify, never one that crashes.

mod arith;
mod kernel;
mod llvm;
mod nvgpu;
mod nvvm;
mod scf;

pub use arith::{Comparison, FloatComparison};
pub use kernel::{KernelAttributes, KernelModule, Parameter};
pub use llvm::{GepIndex, Space};
use melior::ir::{
    Attribute, BlockLike, BlockRef, Identifier, Location, OperationRef, Region, Type, Value,
    attribute::{BoolAttribute, DenseI32ArrayAttribute, IntegerAttribute, StringAttribute},
    operation::{OperationBuilder, OperationLike},
    r#type::IntegerType,
};
pub(super) use nvgpu::BARRIER_OFFSET;
pub use nvgpu::BarrierGroup;
pub use nvvm::{FenceProxy, Scope, TmaLoad};
pub use scf::{For, If, LoopForm, While};

use super::{MlirError, MlirMessage, OpTag, Session, SourceLine};

/// The types that lowering uses again and again.
#[derive(Clone, Copy, Debug)]
pub struct Types<'c> {
    /// `i1`.
    pub i1: Type<'c>,
    /// `i8`.
    pub i8: Type<'c>,
    /// `i16`.
    pub i16: Type<'c>,
    /// `i32`.
    pub i32: Type<'c>,
    /// `i64`.
    pub i64: Type<'c>,
    /// `index`.
    pub index: Type<'c>,
    /// `f32`.
    pub f32: Type<'c>,
    /// `!llvm.ptr`: any memory.
    pub generic: Type<'c>,
    /// `!llvm.ptr<1>`: global memory.
    pub global: Type<'c>,
    /// `!llvm.ptr<3>`: shared memory of the own block.
    pub shared: Type<'c>,
    /// `!llvm.ptr<7>`: shared memory of the blocks of the cluster.
    pub cluster: Type<'c>,
    /// `!llvm.ptr<6>`: tensor memory.
    pub tensor: Type<'c>,
}

impl<'c> Types<'c> {
    /// The types of `session`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Type`].
    pub fn new(session: &'c Session) -> Result<Self, MlirError> {
        let context = session.context();
        let integer = |width| Type::from(IntegerType::new(context, width));
        Ok(Self {
            i1: integer(1),
            i8: integer(8),
            i16: integer(16),
            i32: integer(32),
            i64: integer(64),
            index: Type::index(context),
            f32: Type::float32(context),
            generic: session.parse_type("!llvm.ptr")?,
            global: session.parse_type("!llvm.ptr<1>")?,
            shared: session.parse_type("!llvm.ptr<3>")?,
            cluster: session.parse_type("!llvm.ptr<7>")?,
            tensor: session.parse_type("!llvm.ptr<6>")?,
        })
    }
}

/// Appends ops to a block.
#[derive(Clone, Copy, Debug)]
pub struct Emitter<'c, 'a> {
    session: &'c Session,
    types: Types<'c>,
    block: BlockRef<'c, 'a>,
    /// The op that new ones go before; without it they go to the end.
    before: Option<OperationRef<'c, 'a>>,
    location: Location<'c>,
}

/// What an emitter gives.
pub type Emitted<T> = Result<T, MlirError>;

impl<'c, 'a> Emitter<'c, 'a> {
    /// An emitter at the end of `block`, for ops at `location`.
    pub fn new(
        session: &'c Session,
        types: Types<'c>,
        block: BlockRef<'c, 'a>,
        location: Location<'c>,
    ) -> Self {
        Self { session, types, block, before: None, location }
    }

    /// The session.
    pub fn session(&self) -> &'c Session {
        self.session
    }

    /// The common types.
    pub fn types(&self) -> &Types<'c> {
        &self.types
    }

    /// The location of the ops to come.
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Says which op of ours the ops to come are made from.
    pub fn set_origin(&mut self, op: OpTag, line: Option<&SourceLine>) {
        self.location = op.location(self.session.context(), line);
    }

    /// The same at another location.
    #[must_use]
    pub fn at(self, location: Location<'c>) -> Self {
        Self { location, ..self }
    }

    /// The same, with new ops before `op` of the block, or at the end.
    #[must_use]
    pub fn before(self, op: Option<OperationRef<'c, 'a>>) -> Self {
        Self { before: op, ..self }
    }

    /// The same for the end of another block.
    #[must_use]
    fn inside(self, block: BlockRef<'c, 'a>) -> Self {
        Self { block, before: None, ..self }
    }

    /// Appends the op `name`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`] when MLIR cannot make it.
    pub fn op(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Emitted<OperationRef<'c, 'a>> {
        self.op_with_regions(name, operands, results, attributes, Vec::new())
    }

    /// Appends the op `name`, which has one result, and gives that.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`] when MLIR cannot make it.
    pub fn value(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Emitted<Value<'c, 'a>> {
        let op = self.op(name, operands, &[result], attributes)?;
        self.result(op, 0)
    }

    /// Appends the op `name` with regions.
    fn op_with_regions(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Emitted<OperationRef<'c, 'a>> {
        let context = self.session.context();
        let attributes: Vec<_> =
            attributes.iter().map(|(name, value)| (Identifier::new(context, name), *value)).collect();
        let op = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .map_err(|_| MlirError::Op { op: name.to_owned(), messages: self.session.take_messages() })?;
        Ok(match self.before {
            Some(next) => self.block.insert_operation_before(next, op),
            None => self.block.append_operation(op),
        })
    }

    /// A result of `op`.
    fn result(&self, op: OperationRef<'c, 'a>, index: usize) -> Emitted<Value<'c, 'a>> {
        op.result(index).map(Value::from).map_err(|error| self.op_error(op, &error.to_string()))
    }

    /// All results of `op`.
    fn results(op: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
        op.results().map(Value::from).collect()
    }

    fn op_error(&self, op: OperationRef<'_, '_>, reason: &str) -> MlirError {
        let name = op.name();
        MlirError::Op {
            op: name.as_string_ref().as_str().unwrap_or_default().to_owned(),
            messages: vec![MlirMessage::error(reason)],
        }
    }

    /// The attribute that MLIR writes as `text`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Attribute`].
    pub fn attribute(&self, text: &str) -> Emitted<Attribute<'c>> {
        self.session.parse_attribute(text)
    }

    /// The type that MLIR writes as `text`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Type`].
    pub fn parse_type(&self, text: &str) -> Emitted<Type<'c>> {
        self.session.parse_type(text)
    }

    /// An integer attribute.
    pub fn integer_attribute(&self, r#type: Type<'c>, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(r#type, value).into()
    }

    /// A string attribute.
    pub fn string_attribute(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.session.context(), text).into()
    }

    /// A Boolean attribute.
    pub fn bool_attribute(&self, value: bool) -> Attribute<'c> {
        BoolAttribute::new(self.session.context(), value).into()
    }

    /// An attribute that is there or not.
    pub fn unit_attribute(&self) -> Attribute<'c> {
        Attribute::unit(self.session.context())
    }

    /// How many operands each group of an op with optional and repeated operands has.
    pub fn segments(&self, sizes: &[i32]) -> (&'static str, Attribute<'c>) {
        ("operandSegmentSizes", DenseI32ArrayAttribute::new(self.session.context(), sizes).into())
    }
}
