//! Launching a kernel from its manifest: what a launcher has to know of it, as JSON.
//!
//! `tidegate compile --manifest` writes manifests; so does the harness that made those of JAX's kernels. A manifest gives
//! the sizes of the launch, the kernel's parameters in order, the arguments of each tensor map, and the operands
//! (arrays) that these refer to:
//!
//! | kind of parameter | what is passed |
//! |---|---|
//! | `pointer` | the address of operand `operand`, plus `byte_offset` |
//! | `tensor_maps` | the maps `maps`, 128 bytes each |
//! | `scalar` | the operand `operand`, of shape `[]`; or `value`, as `dtype` |
//! | `extent`, `stride` | the extent, or the stride in elements, of dimension `dim` of operand `operand`, as 64 bits |
//! | `bytes` | the structure `hex`; in it the maps of `maps`, `{"offset": BYTES, "map": INDEX}`, and addresses, `relocations`: `{"offset": BYTES, "operand": INDEX, "byte_offset": 0}` |
//! | `scratch` | the address of a zeroed buffer of `scratch_bytes`, at a multiple of `scratch_align` |
//!
//! Numbers that only a launch gives are `{"operand": 0, "dim": 1, "divisor": 8}`, `{"operand": 0, "stride": 0, "factor": 2}`
//! and, in the grid, `{"launch": 0, "factor": 2}`.
//!
//! [`Manifest::from_json`] reads, [`Run`] fills it with arrays and holds it against a module, [`Run::prepare`] makes a
//! device with everything in place. [`run_manifest`] does all of it.

mod array;
mod error;
mod fit;
mod maps;
mod raw;
mod run;
#[cfg(test)]
mod tests;

pub use array::{Array, DType, Number, shape_text};
pub use error::{Kind, ManifestError};
pub use raw::from_hex;
pub use run::{Prepared, Run, RunError, run_manifest};

/// How to launch a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// What people call the kernel.
    pub kernel: String,
    /// What the PTX calls it.
    pub entry: String,
    /// The architecture that the PTX is for: `sm_90a`.
    pub target: Option<String>,
    /// Blocks of the grid: x, y, z.
    pub grid: [GridSize; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// The launch has a cluster dimension.
    pub cluster_attribute: bool,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes.
    pub dynamic_shared_bytes: u32,
    /// The shared variable that stands for the dynamic shared memory.
    pub dynamic_shared_symbol: Option<String>,
    /// The dynamic shared memory starts at a multiple of this, in bytes.
    pub dynamic_shared_min_align: u32,
    /// Parameters, in the order of the PTX.
    pub params: Vec<Param>,
    /// Tensor maps that parameters refer to.
    pub tensor_maps: Vec<TensorMapSpec>,
    /// Arrays and scalars that parameters and maps refer to.
    pub operands: Vec<Operand>,
    /// What whoever wrote it noted for checks of its own.
    pub checks: Option<serde_json::Value>,
}

/// An extent of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridSize {
    /// Blocks.
    Known(u32),
    /// The launch decides; a multiple of this (blocks of the cluster along the axis).
    Launch(u32),
}

/// A number, or where the launch finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Known.
    Known(u64),
    /// The extent of a dimension of an operand, divided.
    Extent {
        /// Index of the operand.
        operand: usize,
        /// The dimension.
        dim: usize,
        /// What divides it; at least 1.
        divisor: u64,
    },
    /// The stride, in elements, of a dimension of an operand, times a factor.
    Stride {
        /// Index of the operand.
        operand: usize,
        /// The dimension.
        dim: usize,
        /// Usually the bytes of an element.
        factor: u64,
    },
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// As in the PTX.
    pub name: String,
    /// Bytes of the parameter.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// What is passed.
    pub kind: ParamKind,
}

/// What a parameter holds.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// The address of an operand plus bytes.
    Pointer {
        /// Index of the operand.
        operand: usize,
        /// Bytes to add.
        byte_offset: u64,
        /// What the kernel takes the address to be a multiple of.
        align: u64,
    },
    /// Tensor maps: their indices.
    TensorMaps(Vec<usize>),
    /// An operand of shape `[]`.
    Scalar(usize),
    /// Bytes known beforehand; with the type when it is a number.
    Bytes(Vec<u8>, Option<DType>),
    /// Bytes known beforehand but for tensor maps and addresses in them.
    Structure(Structure),
    /// A number of 8 bytes that the launch finds.
    Number(Size),
    /// The address of a zeroed buffer; null when it has no bytes.
    Scratch {
        /// Its size.
        bytes: u64,
        /// Its alignment.
        align: u64,
    },
}

/// A structure that holds tensor maps or addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// What is known beforehand.
    pub bytes: Vec<u8>,
    /// Tensor maps: where, in bytes, and the map's index.
    pub maps: Vec<(usize, usize)>,
    /// Addresses: where, in bytes, of which operand, plus how many bytes.
    pub addresses: Vec<(usize, usize, u64)>,
}

/// The arguments of `cuTensorMapEncodeTiled`, the innermost dimension first.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapSpec {
    /// Index of the operand.
    pub operand: usize,
    /// Where the map starts in the operand, in bytes.
    pub offset: u64,
    /// The type of the elements.
    pub element: tidegate_machine::tensormap::ElementType,
    /// Elements along each dimension.
    pub global_dim: Vec<Size>,
    /// Bytes from element to element along each dimension but the first.
    pub global_stride: Vec<Size>,
    /// Elements of the box.
    pub box_dim: Vec<u32>,
    /// Steps, in elements.
    pub element_strides: Vec<u32>,
    /// Swizzle of shared memory.
    pub swizzle: tidegate_machine::tensormap::Swizzle,
    /// Interleaved layout.
    pub interleave: tidegate_machine::tensormap::Interleave,
    /// L2 fetch size.
    pub l2_promotion: tidegate_machine::tensormap::L2Promotion,
    /// What loads write for elements outside.
    pub oob_fill: tidegate_machine::tensormap::OobFill,
}

/// What the kernel does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Reads.
    In,
    /// Writes.
    Out,
    /// Both.
    InOut,
}

impl Direction {
    /// `in`, `out`, `inout`.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "inout",
        }
    }
}

/// An array, or a scalar, of the launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Its name.
    pub name: String,
    /// What the kernel does with it.
    pub direction: Direction,
    /// The type of its elements.
    pub dtype: DType,
    /// Extents, the outermost first; empty for a scalar.
    pub shape: Vec<Size>,
    /// Strides in elements, when it is not dense and row-major: `None` where only the launch knows.
    pub strides: Option<Vec<Option<u64>>>,
    /// How its contents are made when nobody gives any: kept as it stands, for tests.
    pub fill: Option<serde_json::Value>,
}

impl Manifest {
    /// Reads a manifest. Unknown fields are refused, but for those that only annotate.
    ///
    /// # Errors
    ///
    /// What is wrong, with the field's path and, where there is one, line and column.
    pub fn from_json(text: &str) -> Result<Manifest, ManifestError> {
        let raw: raw::Manifest = raw::read(text)?;
        raw.check()
    }

    /// Reads one manifest or a list of them, as `tidegate compile` writes for a module of several kernels.
    ///
    /// # Errors
    ///
    /// As [`Manifest::from_json`].
    pub fn all_from_json(text: &str) -> Result<Vec<Manifest>, ManifestError> {
        if text.trim_start().starts_with('[') {
            let raw: Vec<raw::Manifest> = raw::read(text)?;
            return raw.into_iter().map(raw::Manifest::check).collect();
        }
        Ok(vec![Manifest::from_json(text)?])
    }

    /// The operand of a name.
    pub fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|o| o.name == name)
    }
}
