//! What is wrong with a call of the builder, and the list of all that was.

use std::fmt;

use thiserror::Error;

use super::{Site, SpecErrorKind};
use crate::frontend::DType;
use crate::frontend::shape::join;
use crate::ir::diag::{Code, Diagnostic, Renderer, SourceMap, codes};
use crate::ir::types::{MAX_ARRIVALS, Space};

/// A call of the builder that is refused, and the Rust line that made it.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct BuildError {
    /// What is wrong.
    pub kind: Box<BuildErrorKind>,
    /// Where.
    pub site: Site,
}

impl BuildError {
    pub(crate) fn new(kind: impl Into<BuildErrorKind>, site: Site) -> Self {
        Self { kind: Box::new(kind.into()), site }
    }
    /// The diagnostic code.
    pub fn code(&self) -> Code {
        self.kind.code()
    }
    /// The diagnostic. The Rust file is added to `sources`, when it can be read, so that it can be shown.
    pub fn diagnostic(&self, sources: &mut SourceMap) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string());
        let diagnostic = at_site(diagnostic, self.site, sources);
        match &*self.kind {
            BuildErrorKind::ThreadOpOutsideRole { roles, .. } => {
                diagnostic.label(roles.span(sources), "the warps of the block are divided here")
            }
            BuildErrorKind::Again { first, .. } => diagnostic.label(first.span(sources), "first here"),
            _ => diagnostic,
        }
    }
}

/// `diagnostic` at a Rust line: as a span when the file can be read, as a note otherwise.
pub(super) fn at_site(diagnostic: Diagnostic, site: Site, sources: &mut SourceMap) -> Diagnostic {
    let span = site.span(sources);
    if span.is_some() {
        diagnostic.at(span, "asked for here")
    } else {
        diagnostic.note(format!("asked for at {site}"))
    }
}

/// Why a call of the builder is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BuildErrorKind {
    /// A spec breaks a rule.
    #[error(transparent)]
    Spec(#[from] SpecErrorKind),

    // ---- handles ----
    /// A handle of another kernel.
    #[error("{what} was made for {} and is used in kernel \"{user}\"", owner.as_ref().map_or("another kernel".to_owned(), |owner| format!("kernel \"{owner}\"")))]
    ForeignHandle {
        /// The handle, in words.
        what: String,
        /// The kernel that it belongs to; `None` when that kernel is finished.
        owner: Option<String>,
        /// The kernel that is being built.
        user: String,
    },
    /// A value used outside of the region it was made in.
    #[error(
        "{what} was made inside a {region} that is closed, and has no value here; hand it out as a result"
    )]
    OutOfScope {
        /// The handle, in words.
        what: String,
        /// "loop", "branch" or "role".
        region: &'static str,
    },

    // ---- declarations and order ----
    /// Something with an empty name.
    #[error("a {what} needs a name")]
    EmptyName {
        /// "kernel", "axis", ...
        what: &'static str,
    },
    /// A name or a declaration given twice.
    #[error("{what} is given twice")]
    Again {
        /// What, with its name.
        what: String,
        /// Where the first one is.
        first: Site,
    },
    /// A declaration inside a region.
    #[error("{what} belongs to the body of the kernel and is asked for inside a {region}")]
    DeclarationInRegion {
        /// What is declared.
        what: &'static str,
        /// "loop", "branch" or "role".
        region: &'static str,
    },
    /// A declaration behind the roles.
    #[error("{what} is asked for behind `warp_specialize`; declare it before the roles begin")]
    DeclarationAfterRoles {
        /// What is declared.
        what: &'static str,
    },
    /// `warp_specialize` inside a region.
    #[error("the warps of a block are divided in the body of the kernel, not inside a {region}")]
    NestedWarpSpecialize {
        /// "loop", "branch" or "role".
        region: &'static str,
    },
    /// `warp_specialize` without roles.
    #[error("`warp_specialize` has at least one role, and none is given")]
    NoRoles,
    /// An op between roles.
    #[error("`{op}` stands between roles, where no warp would execute it; put it into a role")]
    OutsideRole {
        /// The op.
        op: String,
    },
    /// A thread's op beside the roles.
    #[error(
        "`{op}` is executed by a thread, and outside of the roles a kernel with `warp_specialize` has none; put it into a role"
    )]
    ThreadOpOutsideRole {
        /// The op.
        op: String,
        /// Where the roles are.
        roles: Site,
    },

    // ---- extents ----
    /// A grid axis below 1, or too long.
    #[error("grid axis \"{axis}\" has {found} blocks; it has 1 to 2147483647")]
    GridExtent {
        /// The axis.
        axis: String,
        /// What was asked for.
        found: i64,
    },
    /// A cluster of too many or too few blocks.
    #[error("a cluster has 1 to 16 blocks, and this one has {}", join(found))]
    ClusterSize {
        /// What was asked for.
        found: Vec<i64>,
    },
    /// Too many or too few warpgroups.
    #[error("a block has 1 to 8 warpgroups, and {found} are asked for")]
    BlockThreads {
        /// What was asked for.
        found: i64,
    },
    /// An impossible number of warps of a role.
    #[error("role \"{role}\" has {found} warps; a role has 1 to 32")]
    RoleWarps {
        /// The role.
        role: String,
        /// What was asked for.
        found: i64,
    },
    /// An impossible number of registers.
    #[error("{found} registers to a lane are asked for; it is a multiple of 8 from 24 to 256")]
    Registers {
        /// What was asked for.
        found: i64,
    },
    /// An axis that there is not.
    #[error("there is no axis \"{axis}\" here; {}", known_axes(available))]
    UnknownAxis {
        /// The axis.
        axis: String,
        /// The axes that there are.
        available: Vec<String>,
    },

    // ---- values ----
    /// Shapes that do not fit together.
    #[error("{op}: shapes {} and {} do not match", shape_text(left), shape_text(right))]
    ShapeMismatch {
        /// The operation.
        op: &'static str,
        /// One shape.
        left: Vec<i64>,
        /// The other.
        right: Vec<i64>,
    },
    /// Element types that do not fit together.
    #[error("{op}: `{left}` and `{right}` are different types; convert one with `astype`")]
    DTypeMismatch {
        /// The operation.
        op: &'static str,
        /// One type.
        left: DType,
        /// The other.
        right: DType,
    },
    /// An operation on numbers of another kind.
    #[error("{op} works on {wanted}, and this is `{found}`")]
    NumberKind {
        /// The operation.
        op: &'static str,
        /// Which numbers it works on.
        wanted: &'static str,
        /// The type it was given.
        found: DType,
    },
    /// A number that the type does not have.
    #[error("{value} is no value of `{dtype}`")]
    ConstantRange {
        /// The number.
        value: String,
        /// The type.
        dtype: DType,
    },
    /// Division of constants by zero.
    #[error("{op} by the constant 0")]
    DivisionByZero {
        /// "division" or "remainder".
        op: &'static str,
    },
    /// A dimension that the array does not have.
    #[error("{op}: there is no dimension {dim} in an array of {rank} dimensions")]
    Dimension {
        /// The operation.
        op: &'static str,
        /// What was asked for.
        dim: usize,
        /// The array's rank.
        rank: usize,
    },
    /// Dimensions that are no permutation.
    #[error("{permutation:?} does not name each of {rank} dimensions once")]
    Permutation {
        /// What was given.
        permutation: Vec<usize>,
        /// The array's rank.
        rank: usize,
    },
    /// A value handed on that has another type than it should.
    #[error("{op} hands on {found} as value {index}, where {expected} is expected")]
    CarriedType {
        /// The construct.
        op: &'static str,
        /// Which value, counted from 0.
        index: usize,
        /// The type it should have.
        expected: String,
        /// The type it has.
        found: String,
    },
    /// A number of values that changes.
    #[error("{op} hands on {found} values, where {expected} are expected")]
    CarriedCount {
        /// The construct.
        op: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A loop that does not advance.
    #[error("a loop's step is at least 1, and this one is {found}")]
    Step {
        /// What was asked for.
        found: i64,
    },
    /// Placeholders and arguments that differ in number.
    #[error("the format has {placeholders} `{{}}`, and {args} arguments are given")]
    FormatArguments {
        /// `{}` in the format.
        placeholders: usize,
        /// Arguments.
        args: usize,
    },

    // ---- places ----
    /// More indices than dimensions.
    #[error("{found} indices into {what}, which has {rank} dimensions")]
    IndexCount {
        /// What is indexed.
        what: String,
        /// Indices given.
        found: usize,
        /// Its rank.
        rank: usize,
    },
    /// A constant index out of range.
    #[error("index {index} into dimension {dim} of {what}, which has {extent}")]
    IndexRange {
        /// What is indexed.
        what: String,
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        index: i64,
        /// The dimension's extent.
        extent: i64,
    },
    /// An access that leads over the end.
    #[error("{size} elements from index {index} lead beyond dimension {dim} of {what}, which has {extent}")]
    AccessRange {
        /// What is accessed.
        what: String,
        /// The dimension, counted from 0.
        dim: usize,
        /// Where the access starts.
        index: i64,
        /// How many elements.
        size: i64,
        /// The dimension's extent.
        extent: i64,
    },
    /// An access of a whole dimension whose extent is not known.
    #[error(
        "dimension {dim} of {what} is known at launch only, so an access says how much it takes: `.sized([...])`"
    )]
    DynamicExtent {
        /// What is accessed.
        what: String,
        /// The dimension, counted from 0.
        dim: usize,
    },
    /// A group where one barrier is wanted.
    #[error(
        "{what} is a group of {} barriers, and one of them is wanted: pick it with `.at(...)`",
        join(shape)
    )]
    GroupForOne {
        /// The barrier.
        what: String,
        /// The group's shape.
        shape: Vec<i64>,
    },
    /// A wrong number of indices into a group.
    #[error("{found} indices into {what}, a group of {} dimensions", shape.len())]
    BarrierIndexCount {
        /// The barrier.
        what: String,
        /// Indices given.
        found: usize,
        /// The group's shape.
        shape: Vec<i64>,
    },
    /// A constant index out of a group.
    #[error("barrier {index} in dimension {dim} of {what}, which has {extent}")]
    BarrierIndexRange {
        /// The barrier.
        what: String,
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        index: i64,
        /// The dimension's extent.
        extent: i64,
    },
    /// The barrier of a peer where only the block's own can stand.
    #[error("{op} works on the block's own barrier only, not on a peer's")]
    PeerNotAllowed {
        /// The operation.
        op: &'static str,
    },
    /// A number of arrivals that is impossible.
    #[error("{found} arrivals at once; it is 1 to {MAX_ARRIVALS}")]
    ArrivalCount {
        /// What was asked for.
        found: i64,
    },
    /// A number of bytes that a barrier cannot count.
    #[error("{found} bytes are announced; a barrier counts 0 to 1048575 (2^20 - 1) of them")]
    ExpectedBytes {
        /// What was asked for.
        found: i64,
    },
    /// A box that does not fit the array it is copied from or to.
    #[error(
        "the copied box is {} and global memory has shape {}: as many dimensions, or fewer, are wanted",
        shape_text(copied),
        shape_text(global)
    )]
    CopyShape {
        /// The box.
        copied: Vec<i64>,
        /// The array in global memory.
        global: Vec<i64>,
    },
    /// A copy between element types.
    #[error("a copy moves bytes as they are, and `{source_dtype}` is not `{dest_dtype}`")]
    CopyElements {
        /// Elements of the source.
        source_dtype: DType,
        /// Elements of the destination.
        dest_dtype: DType,
    },

    // ---- the dynamic route: what typed handles make impossible ----
    /// A barrier is read.
    #[error(
        "{what} cannot be loaded: it is a barrier, a reference and never an array; wait for its phase with `barrier_wait` and load what it guards"
    )]
    BarrierLoaded {
        /// The barrier.
        what: String,
    },
    /// A barrier is written.
    #[error(
        "{what} cannot be written: it is a barrier, changed by arrivals and announced bytes only; arrive on it with `barrier_arrive`"
    )]
    BarrierStored {
        /// The barrier.
        what: String,
    },
    /// A barrier in place of an array ref.
    #[error("{op} wants a reference to an array, and {what} is a barrier")]
    BarrierForArray {
        /// The operation.
        op: &'static str,
        /// The barrier.
        what: String,
    },
    /// An array ref in place of a barrier.
    #[error(
        "{op} wants a barrier, and {what} is a reference to an array; no element type makes an array a barrier: allocate a `Barrier`"
    )]
    ArrayForBarrier {
        /// The operation.
        op: &'static str,
        /// The array ref.
        what: String,
    },
    /// A cluster barrier in an asynchronous copy.
    #[error("{op} completes on a barrier of its own block, and {what} is a cluster barrier")]
    ClusterBarrierForCopy {
        /// The operation.
        op: &'static str,
        /// The cluster barrier.
        what: String,
    },
    /// A ref of another memory.
    #[error("{op} wants {}, and {what} is {found}", space.long_name())]
    WrongSpace {
        /// The operation.
        op: &'static str,
        /// The handle.
        what: String,
        /// The memory that is wanted.
        space: Space,
        /// What was given.
        found: &'static str,
    },
    /// A handle that an error has left without a value.
    #[error("the handle has no value, because of an error before this one")]
    Poison,
    /// Arithmetic before there is a kernel.
    #[error("this was computed while no kernel was being built; make the kernel first")]
    NoKernel,
    /// A block outside of its array.
    #[error("block {index} in dimension {dim} of {what}, which has {blocks}")]
    BlockIndex {
        /// The array.
        what: String,
        /// The dimension, counted from 0.
        dim: usize,
        /// What was asked for.
        index: i64,
        /// How many blocks the dimension has, the last one perhaps over the edge.
        blocks: i64,
    },
    /// Semaphores in the builder.
    #[error("a kernel is given semaphores in global memory, and the IR has no operations on them yet")]
    SemaphoreScratch,
}

fn known_axes(available: &[String]) -> String {
    match available {
        [] => "the kernel declares none".to_owned(),
        some => {
            let names: Vec<String> = some.iter().map(|name| format!("\"{name}\"")).collect();
            format!("there are {}", names.join(", "))
        }
    }
}

fn shape_text(shape: &[i64]) -> String {
    format!("[{}]", join(shape).replace('x', ", "))
}

impl BuildErrorKind {
    /// The diagnostic code.
    pub fn code(&self) -> Code {
        match self {
            Self::Spec(kind) => kind.code(),
            Self::ForeignHandle { .. } => codes::FOREIGN_HANDLE,
            Self::OutOfScope { .. }
            | Self::EmptyName { .. }
            | Self::Again { .. }
            | Self::DeclarationInRegion { .. }
            | Self::DeclarationAfterRoles { .. }
            | Self::Step { .. }
            | Self::Poison
            | Self::NoKernel => codes::BUILDER_MISUSE,
            Self::NestedWarpSpecialize { .. } | Self::NoRoles => codes::ROLE_STRUCTURE,
            Self::OutsideRole { .. } | Self::ThreadOpOutsideRole { .. } => codes::OP_NOT_ALLOWED_HERE,
            Self::GridExtent { .. } => codes::GRID_SIZE,
            Self::ClusterSize { .. } => codes::CLUSTER_SIZE,
            Self::BlockThreads { .. } => codes::BLOCK_THREADS,
            Self::RoleWarps { .. } => codes::ROLE_WARPS,
            Self::Registers { .. } => codes::MAX_REGISTERS_FORM,
            Self::UnknownAxis { .. } => codes::UNKNOWN_AXIS,
            Self::ShapeMismatch { .. } | Self::Permutation { .. } | Self::Dimension { .. } => {
                codes::SHAPE_MISMATCH
            }
            Self::DTypeMismatch { .. } => codes::ELEMENT_TYPE_MISMATCH,
            Self::NumberKind { .. } => codes::OPERAND_TYPE,
            Self::ConstantRange { .. } | Self::DivisionByZero { .. } => codes::MALFORMED_NUMBER,
            Self::CarriedType { .. } => codes::RESULT_TYPE,
            Self::CarriedCount { .. } | Self::FormatArguments { .. } => codes::OPERAND_COUNT,
            Self::IndexCount { .. } => codes::SHAPE_MISMATCH,
            Self::IndexRange { .. } | Self::AccessRange { .. } | Self::BlockIndex { .. } => {
                codes::OUT_OF_BOUNDS
            }
            Self::DynamicExtent { .. } => codes::DYNAMIC_SHAPE,
            Self::GroupForOne { .. } => codes::BARRIER_GROUP_FOR_ONE,
            Self::BarrierIndexCount { .. } => codes::BARRIER_INDEX_COUNT,
            Self::BarrierIndexRange { .. } => codes::BARRIER_INDEX_RANGE,
            Self::PeerNotAllowed { .. } => codes::WAIT_ON_PEER_BARRIER,
            Self::ArrivalCount { .. } => codes::BARRIER_ARRIVALS_RANGE,
            Self::ExpectedBytes { .. } => codes::COPY_BYTES,
            Self::CopyShape { .. } => codes::COPY_SHAPES,
            Self::CopyElements { .. } => codes::COPY_ELEMENT_TYPES,
            Self::BarrierLoaded { .. } => codes::BARRIER_AS_ARRAY,
            Self::BarrierStored { .. } => codes::BARRIER_STORE,
            Self::BarrierForArray { .. } => codes::BARRIER_FOR_ARRAY_REF,
            Self::ArrayForBarrier { .. } => codes::ARRAY_REF_FOR_BARRIER,
            Self::ClusterBarrierForCopy { .. } => codes::COPY_ON_CLUSTER_BARRIER,
            Self::WrongSpace { .. } | Self::SemaphoreScratch => codes::WRONG_SPACE,
        }
    }
}

/// Everything that was wrong with a kernel, in the order in which it was found.
#[derive(Debug)]
pub struct BuildErrors {
    /// Calls that the builder refused.
    pub errors: Vec<BuildError>,
    /// The same as diagnostics, and those of the verifier when the builder refused nothing.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into: Rust files, or the module as text.
    pub sources: SourceMap,
}

impl BuildErrors {
    pub(crate) fn of(errors: Vec<BuildError>) -> Self {
        let mut sources = SourceMap::new();
        let diagnostics = errors.iter().map(|error| error.diagnostic(&mut sources)).collect();
        Self { errors, diagnostics, sources }
    }
    /// The errors that are about specs.
    pub fn spec_errors(&self) -> impl Iterator<Item = &SpecErrorKind> {
        self.errors.iter().filter_map(|error| match &*error.kind {
            BuildErrorKind::Spec(kind) => Some(kind),
            _ => None,
        })
    }
    /// The diagnostics as text for people, without colours.
    pub fn render(&self) -> String {
        Renderer::plain().render_all(&self.sources, &self.diagnostics)
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render().trim_end())
    }
}

impl std::error::Error for BuildErrors {}
