//! The module and its kernels: a `gpu.module` of functions of the `llvm` dialect, which alone may take tensor maps.

use std::fmt::Write;

use melior::ir::{
    Attribute, Block, BlockLike, Identifier, Location, Module, OperationRef, Region, RegionLike, Value,
    attribute::{ArrayAttribute, StringAttribute, TypeAttribute},
    operation::{OperationBuilder, OperationLike},
};

use super::{Emitted, Emitter, MlirError, Session, Space, Types};
use crate::lower::plan::manifest::DYNAMIC_SMEM;

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A pointer to global memory.
    Global,
    /// A tensor map, by value: 128 bytes.
    TensorMap,
    /// A condition: one byte.
    I1,
    /// A scalar of 8 bits.
    I8,
    /// A scalar of 16 bits.
    I16,
    /// A scalar of 32 bits.
    I32,
    /// A scalar of 64 bits.
    I64,
    /// An IEEE half.
    F16,
    /// A bfloat.
    Bf16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

impl Parameter {
    fn llvm_type(self) -> &'static str {
        match self {
            Self::Global => "!llvm.ptr<1>",
            Self::TensorMap => "!llvm.ptr",
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Without all three attributes LLVM copies a tensor map to local memory, where TMA cannot read it.
    fn attributes(self) -> &'static str {
        match self {
            Self::TensorMap => {
                "{llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}"
            }
            Self::Global
            | Self::I1
            | Self::I8
            | Self::I16
            | Self::I32
            | Self::I64
            | Self::F16
            | Self::Bf16
            | Self::F32
            | Self::F64 => "{}",
        }
    }
}

/// What a kernel is launched with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelAttributes {
    /// Lanes of a block.
    pub lanes: u32,
    /// Blocks of a cluster in x, y and z, if there are clusters.
    pub cluster: Option<[u32; 3]>,
    /// The most registers a lane may have.
    pub max_registers: Option<u32>,
}

/// A module under construction.
#[derive(Debug)]
pub struct KernelModule<'c> {
    session: &'c Session,
    types: Types<'c>,
    module: Module<'c>,
}

impl<'c> KernelModule<'c> {
    /// A module without kernels.
    ///
    /// # Errors
    ///
    /// [`MlirError`].
    pub fn new(session: &'c Session, location: Location<'c>) -> Emitted<Self> {
        Ok(Self { session, types: Types::new(session)?, module: Module::new(location) })
    }

    /// The common types.
    pub fn types(&self) -> Types<'c> {
        self.types
    }

    /// Appends an empty `gpu.module`, and gives an emitter for its own ops. Each kernel has one.
    ///
    /// # Errors
    ///
    /// [`MlirError`].
    pub fn emitter(&self, name: &str, location: Location<'c>) -> Emitted<Emitter<'c, '_>> {
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let context = self.session.context();
        let op = OperationBuilder::new("gpu.module", location)
            .add_attributes(&[(
                Identifier::new(context, "sym_name"),
                StringAttribute::new(context, name).into(),
            )])
            .add_regions([region])
            .build()
            .map_err(|_| MlirError::Op { op: "gpu.module".into(), messages: self.session.take_messages() })?;
        let gpu_module = self.module.body().append_operation(op);
        let outer = Emitter::new(self.session, self.types, self.module.body(), location);
        outer.enter(gpu_module, 0)
    }

    /// The finished module.
    pub fn finish(self) -> Module<'c> {
        self.module
    }
}

impl<'c, 'a> Emitter<'c, 'a> {
    /// Declares the dynamic shared memory, aligned to `alignment` bytes. It has to be external: LLVM takes an internal
    /// symbol for one of no bytes, and `ptxas` then puts other things into it.
    ///
    /// # Errors
    ///
    /// [`MlirError`].
    pub fn declare_dynamic_smem(&self, alignment: u32) -> Emitted<()> {
        let array = self.parse_type("!llvm.array<0 x i8>")?;
        let attributes = [
            ("addr_space", self.integer_attribute(self.types.i32, 3)),
            ("alignment", self.integer_attribute(self.types.i64, alignment.into())),
            ("global_type", TypeAttribute::new(array).into()),
            ("linkage", self.attribute("#llvm.linkage<external>")?),
            ("sym_name", self.string_attribute(DYNAMIC_SMEM)),
        ];
        self.op_with_regions("llvm.mlir.global", &[], &[], &attributes, vec![Region::new()]).map(drop)
    }

    /// The start of the dynamic shared memory.
    ///
    /// # Errors
    ///
    /// [`MlirError`].
    pub fn dynamic_smem(&self) -> Emitted<Value<'c, 'a>> {
        self.address_of(DYNAMIC_SMEM, Space::Shared)
    }

    /// A kernel: an emitter for its body, and its parameters. The caller ends the body with
    /// [`return_from_kernel`](Self::return_from_kernel).
    ///
    /// # Errors
    ///
    /// [`MlirError`].
    pub fn kernel(
        &self,
        name: &str,
        parameters: &[Parameter],
        attributes: KernelAttributes,
    ) -> Emitted<(Self, Vec<Value<'c, 'a>>)> {
        let types = parameters
            .iter()
            .map(|parameter| self.parse_type(parameter.llvm_type()))
            .collect::<Emitted<Vec<_>>>()?;
        let mut signature = String::from("!llvm.func<void (");
        for (index, parameter) in parameters.iter().enumerate() {
            // A string takes everything.
            let _ = write!(signature, "{}{}", if index == 0 { "" } else { ", " }, parameter.llvm_type());
        }
        signature += ")>";
        let parameter_attributes = parameters
            .iter()
            .map(|parameter| self.attribute(parameter.attributes()))
            .collect::<Emitted<Vec<_>>>()?;
        let array = |values: [u32; 3]| {
            self.attribute(&format!("array<i32: {}, {}, {}>", values[0], values[1], values[2]))
        };
        let mut all: Vec<(&str, Attribute<'c>)> = vec![
            ("sym_name", self.string_attribute(name)),
            ("function_type", TypeAttribute::new(self.parse_type(&signature)?).into()),
            ("arg_attrs", ArrayAttribute::new(self.session.context(), &parameter_attributes).into()),
            ("nvvm.kernel", self.unit_attribute()),
            ("nvvm.reqntid", array([attributes.lanes, 1, 1])?),
        ];
        if let Some(cluster) = attributes.cluster {
            all.push(("nvvm.cluster_dim", array(cluster)?));
        }
        if let Some(registers) = attributes.max_registers {
            all.push(("nvvm.maxnreg", self.integer_attribute(self.types.i32, registers.into())));
        }
        let function: OperationRef<'c, 'a> =
            self.op_with_regions("llvm.func", &[], &[], &all, vec![self.region(&types)])?;
        debug_assert_eq!(function.region_count(), 1);
        let body = self.enter(function, 0)?;
        let arguments = (0..types.len()).map(|index| body.argument(index)).collect::<Emitted<_>>()?;
        Ok((body, arguments))
    }

    /// The end of a kernel.
    ///
    /// # Errors
    ///
    /// [`MlirError`].
    pub fn return_from_kernel(&self) -> Emitted<()> {
        self.op("llvm.return", &[], &[], &[]).map(drop)
    }
}
