//! `llvm`: pointers, memory, intrinsics and inline assembly.

use melior::ir::{
    Type, Value,
    attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute, TypeAttribute},
};

use super::{Emitted, Emitter};

/// A memory that pointers point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Any: the hardware finds out.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of the own block.
    Shared,
    /// Shared memory of the blocks of the cluster.
    Cluster,
    /// Tensor memory.
    Tensor,
}

/// An index of an address computation.
#[derive(Clone, Copy, Debug)]
pub enum GepIndex<'c, 'a> {
    /// Known now.
    Constant(i32),
    /// Known at run time; an integer.
    Value(Value<'c, 'a>),
}

impl<'c, 'a> Emitter<'c, 'a> {
    /// The type of pointers into `space`.
    pub fn pointer(&self, space: Space) -> Type<'c> {
        match space {
            Space::Generic => self.types.generic,
            Space::Global => self.types.global,
            Space::Shared => self.types.shared,
            Space::Cluster => self.types.cluster,
            Space::Tensor => self.types.tensor,
        }
    }

    /// `&base[index]`, with elements of type `element`. The result is inside the same object, not before its start.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn offset(
        &self,
        base: Value<'c, 'a>,
        space: Space,
        element: Type<'c>,
        index: GepIndex<'c, 'a>,
    ) -> Emitted<Value<'c, 'a>> {
        /// `inbounds` and `nuw`.
        const NO_WRAP: i64 = 7;
        /// Stands for an index that is an operand.
        const DYNAMIC: i32 = i32::MIN;
        let (operands, constant) = match index {
            GepIndex::Constant(0) => return Ok(base),
            GepIndex::Constant(index) => (vec![base], index),
            GepIndex::Value(index) => (vec![base, index], DYNAMIC),
        };
        let indices = DenseI32ArrayAttribute::new(self.session.context(), &[constant]);
        let attributes = [
            ("elem_type", TypeAttribute::new(element).into()),
            ("noWrapFlags", self.integer_attribute(self.types.i32, NO_WRAP)),
            ("rawConstantIndices", indices.into()),
        ];
        self.value("llvm.getelementptr", &operands, self.pointer(space), &attributes)
    }

    /// `base` plus a number of bytes.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn offset_bytes(
        &self,
        base: Value<'c, 'a>,
        space: Space,
        bytes: GepIndex<'c, 'a>,
    ) -> Emitted<Value<'c, 'a>> {
        self.offset(base, space, self.types.i8, bytes)
    }

    /// Loads a value of type `r#type` that is aligned to `alignment` bytes. Without the right alignment a load of a
    /// vector is split.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn load(&self, address: Value<'c, 'a>, r#type: Type<'c>, alignment: u32) -> Emitted<Value<'c, 'a>> {
        let alignment = self.integer_attribute(self.types.i64, alignment.into());
        self.value("llvm.load", &[address], r#type, &[("alignment", alignment)])
    }

    /// Stores `value` at an address that is aligned to `alignment` bytes.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn store(&self, value: Value<'c, 'a>, address: Value<'c, 'a>, alignment: u32) -> Emitted<()> {
        let alignment = self.integer_attribute(self.types.i64, alignment.into());
        self.op("llvm.store", &[value, address], &[], &[("alignment", alignment)]).map(drop)
    }

    /// A variable of the lane. LLVM keeps it in a register when all accesses are loads and stores of it.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn variable(&self, r#type: Type<'c>) -> Emitted<Value<'c, 'a>> {
        let one = self.i32(1)?;
        let element = TypeAttribute::new(r#type).into();
        self.value("llvm.alloca", &[one], self.types.generic, &[("elem_type", element)])
    }

    /// The address of the symbol `name`, in `space`.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn address_of(&self, name: &str, space: Space) -> Emitted<Value<'c, 'a>> {
        let symbol = FlatSymbolRefAttribute::new(self.session.context(), name).into();
        self.value("llvm.mlir.addressof", &[], self.pointer(space), &[("global_name", symbol)])
    }

    /// A pointer into the own block's shared memory as one into the cluster's: the first window lies in the second, at the
    /// same addresses. (`llvm.addrspacecast` would go by way of generic addresses.)
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn to_cluster_window(&self, shared: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        let bits = self.convert("llvm.ptrtoint", shared, self.types.i64)?;
        self.convert("llvm.inttoptr", bits, self.types.cluster)
    }

    /// Calls an intrinsic of LLVM's with a result.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn intrinsic(
        &self,
        name: &str,
        arguments: &[Value<'c, 'a>],
        result: Type<'c>,
    ) -> Emitted<Value<'c, 'a>> {
        let op = self.call_intrinsic(name, arguments, &[result])?;
        self.result(op, 0)
    }

    /// Calls an intrinsic of LLVM's without a result.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn void_intrinsic(&self, name: &str, arguments: &[Value<'c, 'a>]) -> Emitted<()> {
        self.call_intrinsic(name, arguments, &[]).map(drop)
    }

    fn call_intrinsic(
        &self,
        name: &str,
        arguments: &[Value<'c, 'a>],
        results: &[Type<'c>],
    ) -> Emitted<melior::ir::OperationRef<'c, 'a>> {
        let bundles = DenseI32ArrayAttribute::new(self.session.context(), &[]);
        let count = i32::try_from(arguments.len()).unwrap_or(i32::MAX);
        let attributes = [
            ("intrin", self.string_attribute(name)),
            ("op_bundle_sizes", bundles.into()),
            self.segments(&[count, 0]),
        ];
        self.op("llvm.call_intrinsic", arguments, results, &attributes)
    }

    /// Inline PTX in LLVM's form: operands are `$0`, `$1`, ..., results first. With `side_effects` it is kept, in order,
    /// and marked convergent on the way to PTX.
    ///
    /// # Errors
    ///
    /// [`MlirError::Op`](super::MlirError::Op).
    pub fn inline_asm(
        &self,
        text: &str,
        constraints: &str,
        operands: &[Value<'c, 'a>],
        result: Option<Type<'c>>,
        side_effects: bool,
    ) -> Emitted<Option<Value<'c, 'a>>> {
        let mut attributes = vec![
            ("asm_string", self.string_attribute(text)),
            ("constraints", self.string_attribute(constraints)),
        ];
        if side_effects {
            attributes.push(("has_side_effects", self.unit_attribute()));
        }
        let results: Vec<_> = result.into_iter().collect();
        let op = self.op("llvm.inline_asm", operands, &results, &attributes)?;
        Ok(Self::results(op).pop())
    }
}
