//! Arrays in global, shared and tensor memory, and accumulators.

use std::marker::PhantomData;

use super::RefSpec;
use crate::frontend::DType;
use crate::frontend::aval::{ArrayRefAval, RefAval, ShapedArray};
use crate::frontend::error::SpecErrorKind;
use crate::frontend::shape::IntoShape;
use crate::ir::types::{Space, TypeTable};

/// A memory space as a type, so that specs and handles of different spaces are different types.
pub trait MemorySpace: Copy + std::fmt::Debug + PartialEq + Eq + std::hash::Hash + 'static {
    /// The space.
    const SPACE: Space;
}

macro_rules! spaces {
    ($($marker:ident = $space:ident, $spec:ident, $doc:literal;)*) => {$(
        #[doc = concat!("The type that stands for ", $doc, ".")]
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $marker {}
        impl MemorySpace for $marker {
            const SPACE: Space = Space::$space;
        }
        #[doc = concat!("An array in ", $doc, ".")]
        pub type $spec = ArraySpec<$marker>;
    )*};
}

spaces! {
    GmemSpace = Gmem, Gmem, "global memory";
    SmemSpace = Smem, Smem, "shared memory";
    TmemSpace = Tmem, Tmem, "tensor memory (Blackwell)";
}

/// An array in the memory space `S`: [`Smem`], [`Gmem`] or [`Tmem`].
///
/// Every option can be written for every space, as in text; which of them mean something is checked when the aval is
/// asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArraySpec<S: MemorySpace> {
    /// Extents, the outermost first. Only global memory has dynamic ones ([`DYN`](crate::frontend::DYN)).
    pub shape: Vec<i64>,
    /// The element type.
    pub dtype: DType,
    /// Distances in elements along each dimension (global memory).
    pub strides: Option<Vec<i64>>,
    /// The tile that the trailing dimensions are cut into (shared memory).
    pub tile: Option<Vec<i64>>,
    /// The span in bytes, 32, 64 or 128, in which chunks of 16 bytes are permuted (shared memory).
    pub swizzle: Option<u32>,
    /// Whether several narrow elements share a column (tensor memory).
    pub packed: Option<bool>,
    /// Whether two blocks of a cluster share it (tensor memory).
    pub collective: Option<bool>,
    /// A named layout (tensor memory).
    pub layout: Option<String>,
    space: PhantomData<S>,
}

impl<S: MemorySpace> ArraySpec<S> {
    /// A dense array of that shape and element type.
    pub fn new(shape: impl IntoShape, dtype: DType) -> Self {
        Self {
            shape: shape.into_shape(),
            dtype,
            strides: None,
            tile: None,
            swizzle: None,
            packed: None,
            collective: None,
            layout: None,
            space: PhantomData,
        }
    }
    /// Sets the distances between neighbours, in elements (global memory).
    #[must_use]
    pub fn strides(mut self, strides: impl IntoShape) -> Self {
        self.strides = Some(strides.into_shape());
        self
    }
    /// Cuts the trailing dimensions into tiles, each stored contiguously (shared memory).
    #[must_use]
    pub fn tile(mut self, tile: impl IntoShape) -> Self {
        self.tile = Some(tile.into_shape());
        self
    }
    /// Permutes chunks of 16 bytes within spans of 32, 64 or 128 bytes (shared memory).
    #[must_use]
    pub fn swizzle(mut self, bytes: u32) -> Self {
        self.swizzle = Some(bytes);
        self
    }
    /// Lets narrow elements share a column of 32 bits (tensor memory).
    #[must_use]
    pub fn packed(mut self, packed: bool) -> Self {
        self.packed = Some(packed);
        self
    }
    /// Lets two blocks of a cluster share it (tensor memory).
    #[must_use]
    pub fn collective(mut self, collective: bool) -> Self {
        self.collective = Some(collective);
        self
    }
    /// Names a layout (tensor memory).
    #[must_use]
    pub fn layout(mut self, layout: impl Into<String>) -> Self {
        self.layout = Some(layout.into());
        self
    }

    fn check_options(&self) -> Result<(), SpecErrorKind> {
        let transforms = [(self.tile.is_some(), "tile"), (self.swizzle.is_some(), "swizzle")];
        let transform = transforms.iter().find(|entry| entry.0).map(|entry| entry.1);
        match (S::SPACE, transform) {
            (Space::Tmem, Some(transform)) => return Err(SpecErrorKind::TmemTransform { transform }),
            (Space::Gmem, Some(transform)) => return Err(SpecErrorKind::GmemTransform { transform }),
            _ => {}
        }
        if S::SPACE != Space::Gmem && self.strides.is_some() {
            return Err(SpecErrorKind::StridesSpace { space: S::SPACE });
        }
        if S::SPACE == Space::Tmem {
            return self.check_tmem();
        }
        let options = [
            (self.packed.is_some(), "packed"),
            (self.collective.is_some(), "collective"),
            (self.layout.is_some(), "layout"),
        ];
        match options.iter().find(|entry| entry.0) {
            Some(&(_, option)) => Err(SpecErrorKind::TmemOption { option, space: S::SPACE }),
            None => Ok(()),
        }
    }

    fn check_tmem(&self) -> Result<(), SpecErrorKind> {
        let packed = self.packed == Some(true);
        if let (true, Some(layout)) = (packed, &self.layout) {
            return Err(SpecErrorKind::PackedWithLayout { layout: layout.clone() });
        }
        let bits = self.dtype.bits();
        if bits < 32 && !packed && self.layout.is_none() {
            return Err(SpecErrorKind::NarrowTmem { dtype: self.dtype, bits });
        }
        let &[rows, columns] = self.shape.as_slice() else {
            return Err(SpecErrorKind::TmemRank { shape: self.shape.clone() });
        };
        if rows != 64 && rows != 128 {
            return Err(SpecErrorKind::TmemRows { rows });
        }
        // A layout may pack as well: what it takes at least is counted.
        let needed = columns.saturating_mul(i64::from(bits)).saturating_add(31) / 32;
        if columns >= 1 && needed > TMEM_COLUMNS {
            let rounded = u64::try_from(needed).ok().and_then(u64::checked_next_power_of_two);
            let rounded = rounded.and_then(|columns| i64::try_from(columns).ok()).unwrap_or(i64::MAX);
            return Err(SpecErrorKind::TmemColumns { columns, dtype: self.dtype, needed, rounded });
        }
        Ok(())
    }
}

/// Columns of 32 bits that tensor memory has.
const TMEM_COLUMNS: i64 = 512;

impl<S: MemorySpace> RefSpec for ArraySpec<S> {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        self.check_options()?;
        let aval = RefAval::Array(ArrayRefAval {
            strides: self.strides.clone(),
            tile: self.tile.clone(),
            swizzle: self.swizzle,
            packed: self.packed == Some(true),
            collective: self.collective == Some(true),
            layout: self.layout.clone(),
            ..ArrayRefAval::new(ShapedArray { shape: self.shape.clone(), dtype: self.dtype }, S::SPACE)
        });
        aval.intern(&mut TypeTable::default())?;
        Ok(aval)
    }
}

/// A tensor-core accumulator in registers (Hopper).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Acc {
    /// Rows and columns.
    pub shape: Vec<i64>,
    /// The element type.
    pub dtype: DType,
}

impl Acc {
    /// An accumulator of that shape and element type.
    pub fn new(shape: impl IntoShape, dtype: DType) -> Self {
        Self { shape: shape.into_shape(), dtype }
    }
}

impl RefSpec for Acc {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        let aval = RefAval::Acc(ShapedArray { shape: self.shape.clone(), dtype: self.dtype });
        aval.intern(&mut TypeTable::default())?;
        Ok(aval)
    }
}
