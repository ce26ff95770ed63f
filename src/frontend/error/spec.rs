//! What is wrong with a spec.

use thiserror::Error;

use super::Site;
use crate::frontend::DType;
use crate::frontend::aval::BarrierAval;
use crate::frontend::shape::join;
use crate::frontend::spec::PipelineMode;
use crate::ir::diag::{Code, Diagnostic, SourceMap, codes};
use crate::ir::text::type_error_code;
use crate::ir::types::{MAX_ARRIVALS, MAX_BARRIERS, Space, TypeError};

/// A spec that is refused, and the Rust line that asked for it.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct SpecError {
    /// What is wrong.
    pub kind: Box<SpecErrorKind>,
    /// Who asked.
    pub site: Site,
}

impl SpecError {
    /// The error at the caller's place.
    #[track_caller]
    pub fn here(kind: SpecErrorKind) -> Self {
        Self { kind: Box::new(kind), site: Site::here() }
    }
    /// The diagnostic code.
    pub fn code(&self) -> Code {
        self.kind.code()
    }
    /// The diagnostic. The Rust file is added to `sources`, when it can be read, so that it can be shown.
    pub fn diagnostic(&self, sources: &mut SourceMap) -> Diagnostic {
        self.kind.diagnostic(self.site, sources)
    }
}

/// Why a spec is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SpecErrorKind {
    // ---- barriers ----
    /// Fewer than one arrival.
    #[error(
        "a {noun} needs at least 1 arrival to complete a phase, but num_arrivals is {found}: nothing would ever \
         complete it"
    )]
    TooFewArrivals {
        /// "barrier" or "cluster barrier".
        noun: &'static str,
        /// What was asked for.
        found: i64,
    },
    /// More arrivals than an mbarrier counts.
    #[error(
        "a {noun} counts at most {MAX_ARRIVALS} (2^20 - 1) arrivals to a phase, but num_arrivals is {found}; it \
         counts threads (warpgroups, or the warp of a one-warp role), not lanes"
    )]
    TooManyArrivals {
        /// "barrier" or "cluster barrier".
        noun: &'static str,
        /// What was asked for.
        found: i64,
    },
    /// A dimension of the group below 1.
    #[error("a {noun} group has at least one {noun}, but dimension {dim} of num_barriers is {found}")]
    EmptyGroup {
        /// "barrier" or "cluster barrier".
        noun: &'static str,
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        found: i64,
    },
    /// A group without dimensions.
    #[error(
        "num_barriers of a {noun} group has at least one dimension, but none is given; one {noun} is `1`"
    )]
    NoGroupDimension {
        /// "barrier" or "cluster barrier".
        noun: &'static str,
    },
    /// A group that fits no block's shared memory.
    #[error(
        "a group of {} {noun}s takes more shared memory than a block has: at most {MAX_BARRIERS} fit, 8 bytes each",
        join(shape)
    )]
    GroupTooLarge {
        /// "barrier" or "cluster barrier".
        noun: &'static str,
        /// What was asked for.
        shape: Vec<i64>,
    },
    /// A cluster barrier that names no axis.
    #[error(
        "a cluster barrier names at least one axis of the cluster along which its arrivals go, but none is given"
    )]
    NoClusterAxes,
    /// A cluster axis named twice.
    #[error("cluster axis \"{axis}\" is named twice in collective_axes")]
    DuplicateClusterAxis {
        /// The axis.
        axis: String,
    },
    /// A cluster axis that the kernel does not have.
    #[error("{}", unknown_cluster_axis(axis, available, other))]
    UnknownClusterAxis {
        /// The axis.
        axis: String,
        /// The kernel's cluster axes.
        available: Vec<String>,
        /// What else of the kernel has that name: "grid" or "thread".
        other: Option<&'static str>,
    },

    // ---- what is no array ----
    /// The array aval of a barrier.
    #[error(
        "barriers are not arrays: this is {}, and it has no elements and no element type; `ref_aval()` describes it, \
         and a kernel can wait for its phase, arrive on it, index its group or hand it to an asynchronous copy",
        aval.describe()
    )]
    BarrierIsNoArray {
        /// The barrier.
        aval: BarrierAval,
    },
    /// The array aval of a cluster barrier.
    #[error(
        "cluster barriers are not arrays: this is {}, whose arrivals reach every block along {}, and it has no \
         elements and no element type; `ref_aval()` describes it, and a kernel can wait for its phase, arrive on it or \
         index its group",
        aval.describe(),
        axes(aval)
    )]
    ClusterBarrierIsNoArray {
        /// The cluster barrier.
        aval: BarrierAval,
    },
    /// The array aval of a semaphore.
    #[error(
        "semaphores are not arrays: this is a reference to {} in global memory, which other blocks change at any \
         time; signal it and wait on it with semaphore operations, and keep data in a reference of its own",
        if shape.iter().all(|&extent| extent == 1) { "one semaphore".to_owned() } else { format!("{} semaphores", join(shape)) }
    )]
    SemaphoreIsNoArray {
        /// The group's shape.
        shape: Vec<i64>,
    },
    /// The array aval of a union.
    #[error(
        "a union of {members} references is {members} arrays in the same memory and not one; take the array aval of a member"
    )]
    UnionIsNoArray {
        /// How many members.
        members: usize,
    },

    // ---- unions ----
    /// A union without members.
    #[error("a union of references has at least one member, but none is given")]
    EmptyUnion,
    /// A barrier in a union.
    #[error(
        "member {index} of the union is {}, and a union is for arrays that share memory over time: an array written \
         over a live barrier destroys its counts, and who waits on it never comes back; allocate the barrier on its own",
        aval.describe()
    )]
    BarrierInUnion {
        /// Which member, counted from 0.
        index: usize,
        /// The barrier.
        aval: BarrierAval,
    },
    /// A member that is in another memory than the first, or in none.
    #[error("member {index} of the union is {found}, and the union is in {}", space.long_name())]
    UnionSpace {
        /// Which member, counted from 0.
        index: usize,
        /// What it is, in words.
        found: String,
        /// The memory of the first member.
        space: Space,
    },
    /// A union in place of one reference.
    #[error("a union of {members} references has no type of its own; allocate its members")]
    UnionHasNoType {
        /// How many members.
        members: usize,
    },

    // ---- parameters ----
    /// A barrier as an output.
    #[error(
        "output \"{name}\" cannot be {}: a barrier lives in the shared memory of a running block and is gone with it, \
         so no kernel can return one; allocate it with `scratch`",
        aval.describe()
    )]
    BarrierAsOutput {
        /// The parameter.
        name: String,
        /// The barrier.
        aval: BarrierAval,
    },
    /// A barrier as an input.
    #[error(
        "argument \"{name}\" cannot be {}: a barrier lives in the shared memory of a running block, so no caller has \
         one to pass; allocate it with `scratch`",
        aval.describe()
    )]
    BarrierAsInput {
        /// The parameter.
        name: String,
        /// The barrier.
        aval: BarrierAval,
    },
    /// A parameter outside global memory.
    #[error("parameter \"{name}\" is {found}; what a kernel takes and gives is in global memory (`Gmem`)")]
    ParameterSpace {
        /// The parameter.
        name: String,
        /// What it is, in words.
        found: String,
    },
    /// Scratch in global memory.
    #[error(
        "scratch memory is shared memory, tensor memory, an accumulator or a barrier, and this is {found}; pass it as a parameter"
    )]
    ScratchSpace {
        /// What it is, in words.
        found: String,
    },

    // ---- memory ----
    /// `packed`, `collective` or `layout` outside tensor memory, whatever its value.
    #[error("`{option}` places an array in tensor memory, and this one is in {}: leave it out", space.long_name())]
    TmemOption {
        /// The option.
        option: &'static str,
        /// Where the array is.
        space: Space,
    },
    /// `packed` with `layout`.
    #[error(
        "`packed` and `layout = {layout}` both say how elements are placed in tensor memory: give one of them"
    )]
    PackedWithLayout {
        /// The layout.
        layout: String,
    },
    /// Tile or swizzle in tensor memory.
    #[error(
        "`{transform}` rearranges addresses of shared memory; tensor memory has lanes and columns, placed by `packed` or `layout`"
    )]
    TmemTransform {
        /// `tile` or `swizzle`.
        transform: &'static str,
    },
    /// Tile or swizzle in global memory.
    #[error("`{transform}` rearranges addresses of shared memory; an array in global memory cannot have it")]
    GmemTransform {
        /// `tile` or `swizzle`.
        transform: &'static str,
    },
    /// Strides outside global memory.
    #[error("`strides` describe arrays in global memory; this one is in {}", space.long_name())]
    StridesSpace {
        /// Where the array is.
        space: Space,
    },
    /// A narrow element in tensor memory.
    #[error(
        "tensor memory has 32-bit columns and `{dtype}` has {bits} bits: say with `packed` that elements share a \
         column, or give a `layout`"
    )]
    NarrowTmem {
        /// The element type.
        dtype: DType,
        /// Its bits.
        bits: u32,
    },
    /// Not a matrix in tensor memory.
    #[error("an array in tensor memory has two dimensions, rows and columns; this one has {}", shape.len())]
    TmemRank {
        /// The shape.
        shape: Vec<i64>,
    },
    /// Rows that tensor memory does not have.
    #[error("an array in tensor memory has 64 or 128 rows, one for each lane; this one has {rows}")]
    TmemRows {
        /// What was asked for.
        rows: i64,
    },
    /// Columns that tensor memory does not have.
    #[error(
        "tensor memory has 512 columns of 32 bits; {columns} columns of `{dtype}` take {needed}, allocated as \
         {rounded}"
    )]
    TmemColumns {
        /// Columns of the array.
        columns: i64,
        /// The element type.
        dtype: DType,
        /// Columns of 32 bits.
        needed: i64,
        /// The same rounded up to a power of two of at least 32.
        rounded: i64,
    },
    /// An accumulator that is no matrix.
    #[error("an accumulator has two dimensions, rows and columns; this one has shape {shape:?}")]
    AccRank {
        /// The shape.
        shape: Vec<i64>,
    },
    /// A rule of the type itself.
    #[error("{0}")]
    Type(#[from] TypeError),

    // ---- blocks ----
    /// A bounded slice.
    #[error(
        "block dimension {dim} is a bounded slice of up to {bound} elements, which has no fixed box for TMA to copy; \
         give a number of elements and let the index map move it"
    )]
    BoundedSlice {
        /// The dimension, counted from 0.
        dim: usize,
        /// Its bound.
        bound: i64,
    },
    /// An element-wise window with padding.
    #[error(
        "block dimension {dim} is an element-wise window of {size} padded by ({low}, {high}), and padding is not \
         supported: TMA fills what lies outside of the array with zeros, so move the window over the edge"
    )]
    PaddedElement {
        /// The dimension, counted from 0.
        dim: usize,
        /// The window.
        size: i64,
        /// Padding before.
        low: i64,
        /// Padding behind.
        high: i64,
    },
    /// A block dimension given by something that is no whole number.
    #[error(
        "block dimension {dim} is `{text}`; a block dimension is a whole number, `Squeezed` or `Element(n)`"
    )]
    BlockDimText {
        /// The dimension, counted from 0.
        dim: usize,
        /// What was given.
        text: String,
    },
    /// A block dimension below 1.
    #[error("block dimension {dim} has {found} elements; a block has at least 1")]
    BlockExtent {
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        found: i64,
    },
    /// Block dimensions for an array of another rank.
    #[error("{found} block dimensions for an array of {rank} (shape {})", join(shape))]
    BlockRank {
        /// Dimensions of the block.
        found: usize,
        /// Dimensions of the array.
        rank: usize,
        /// The array's shape.
        shape: Vec<i64>,
    },
    /// A block larger than the array.
    #[error("block dimension {dim} has {block} elements and the array only {extent}")]
    BlockLarger {
        /// The dimension, counted from 0.
        dim: usize,
        /// The block's extent.
        block: i64,
        /// The array's extent.
        extent: i64,
    },
    /// An index map that answers with another number of indices.
    #[error("the index map gives {found} indices for {dims} block dimensions")]
    IndexMapRank {
        /// Indices given.
        found: usize,
        /// Dimensions of the block.
        dims: usize,
    },
    /// A pipeline mode that is none of ours.
    #[error("pipeline mode `{text}` is not supported; there are {}", PipelineMode::CHOICES)]
    PipelineModeText {
        /// What was given.
        text: String,
    },
    /// A pipeline without slots.
    #[error("a buffered pipeline has at least 1 slot, but {found} are asked for")]
    PipelineDepth {
        /// What was asked for.
        found: i64,
    },
    /// A negative delay.
    #[error("delay_release is {found}; a slot is released at least 0 steps late")]
    NegativeDelay {
        /// What was asked for.
        found: i64,
    },
    /// A delay that holds all slots.
    #[error(
        "delay_release = {delay} keeps {delay} slot(s) in use after their step, and the pipeline has {slots}: the \
         producer would wait for a slot that is released only after its own copy; give more slots than the delay"
    )]
    DelayRelease {
        /// Steps of delay.
        delay: i64,
        /// Slots of the pipeline.
        slots: i64,
    },
}

fn axes(aval: &BarrierAval) -> String {
    let names: Vec<String> = aval
        .cluster
        .iter()
        .flat_map(|cluster| cluster.axes.iter())
        .flat_map(|axes| axes.names())
        .map(|name| format!("\"{name}\""))
        .collect();
    names.join(", ")
}

fn unknown_cluster_axis(axis: &str, available: &[String], other: &Option<&'static str>) -> String {
    let known = match available {
        [] => "the kernel has no cluster".to_owned(),
        some => format!(
            "the cluster has {}",
            some.iter().map(|a| format!("\"{a}\"")).collect::<Vec<_>>().join(", ")
        ),
    };
    match other {
        Some(other) => format!(
            "\"{axis}\" is a {other} axis and not one of the cluster, and arrivals reach only blocks of one cluster; {known}"
        ),
        None => format!("\"{axis}\" is no axis of the cluster; {known}"),
    }
}

impl SpecErrorKind {
    /// The diagnostic code.
    pub fn code(&self) -> Code {
        match self {
            Self::TooFewArrivals { .. } | Self::TooManyArrivals { .. } => codes::SPEC_ARRIVALS,
            Self::EmptyGroup { .. } | Self::NoGroupDimension { .. } => codes::SPEC_EMPTY_GROUP,
            Self::GroupTooLarge { .. } => codes::BARRIER_GROUP_SIZE,
            Self::NoClusterAxes | Self::DuplicateClusterAxis { .. } | Self::UnknownClusterAxis { .. } => {
                codes::CLUSTER_BARRIER_AXES
            }
            Self::BarrierIsNoArray { .. }
            | Self::ClusterBarrierIsNoArray { .. }
            | Self::SemaphoreIsNoArray { .. } => codes::BARRIER_ARRAY_AVAL,
            Self::UnionIsNoArray { .. }
            | Self::EmptyUnion
            | Self::BarrierInUnion { .. }
            | Self::UnionSpace { .. }
            | Self::UnionHasNoType { .. } => codes::SPEC_UNION,
            Self::BarrierAsOutput { .. } => codes::BARRIER_AS_RESULT,
            Self::BarrierAsInput { .. } => codes::BARRIER_FOR_ARRAY_REF,
            Self::ParameterSpace { .. } | Self::ScratchSpace { .. } => codes::WRONG_SPACE,
            Self::TmemOption { .. } => codes::SPEC_TMEM_OPTIONS,
            Self::PackedWithLayout { .. } => codes::SPEC_PACKED_LAYOUT,
            Self::TmemTransform { .. } => codes::SPEC_TMEM_TRANSFORMS,
            Self::GmemTransform { .. } | Self::StridesSpace { .. } => codes::UNSUPPORTED_TRANSFORM,
            Self::NarrowTmem { .. } => codes::SPEC_TMEM_NARROW,
            Self::TmemRank { .. } | Self::TmemRows { .. } | Self::TmemColumns { .. } => {
                codes::TENSOR_MEMORY_LIMIT
            }
            Self::AccRank { .. } => codes::SPEC_SHAPE,
            Self::Type(error) => type_code(error),
            Self::BoundedSlice { .. }
            | Self::PaddedElement { .. }
            | Self::BlockDimText { .. }
            | Self::BlockExtent { .. }
            | Self::BlockRank { .. }
            | Self::BlockLarger { .. }
            | Self::IndexMapRank { .. } => codes::SPEC_BLOCK_DIMENSION,
            Self::PipelineModeText { .. }
            | Self::PipelineDepth { .. }
            | Self::NegativeDelay { .. }
            | Self::DelayRelease { .. } => codes::SPEC_PIPELINE_MODE,
        }
    }
    /// The diagnostic, at `site`.
    pub fn diagnostic(&self, site: Site, sources: &mut SourceMap) -> Diagnostic {
        super::build::at_site(Diagnostic::error(self.code(), self.to_string()), site, sources)
    }
}

/// The code of a rule that the IR's types have themselves.
fn type_code(error: &TypeError) -> Code {
    match error {
        TypeError::IntegerWidth { .. } | TypeError::Element { .. } | TypeError::BarrierElement { .. } => {
            codes::UNSUPPORTED_ELEMENT
        }
        TypeError::Extent { .. } | TypeError::TooManyElements | TypeError::AccShape { .. } => {
            codes::SPEC_SHAPE
        }
        TypeError::StrideCount { .. } | TypeError::Stride { .. } => codes::UNSUPPORTED_TRANSFORM,
        TypeError::TmemShape { .. } => codes::TENSOR_MEMORY_LIMIT,
        other => type_error_code(other),
    }
}
