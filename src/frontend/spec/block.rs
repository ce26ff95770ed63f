//! Windows of arrays that move with a grid, and how many of them are in flight.

use std::convert::Infallible;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use super::memory::Smem;
use super::{MemorySpace, RefSpec, SmemSpace};
use crate::frontend::aval::{ArrayRefAval, RefAval, ShapedArray};
use crate::frontend::builder::Idx;
use crate::frontend::error::{SpecError, SpecErrorKind};
use crate::ir::types::{DYNAMIC, TypeTable};

/// One dimension of a block.
///
/// It can be read from text, as it comes from files or other front ends: `64`, `None` and `Squeezed`, `Element(64)`,
/// `Element(64, padding=(1, 1))`, `BoundedSlice(64)`. Reading refuses nothing; the aval does.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockDim {
    /// So many elements; the index map counts in blocks.
    Blocked(i64),
    /// One element, and no dimension of the window.
    Squeezed,
    /// So many elements; the index map counts in elements.
    Element {
        /// The window.
        size: i64,
        /// Elements before and behind the array; refused unless (0, 0).
        padding: (i64, i64),
    },
    /// A slice of at most so many elements; refused, since TMA copies boxes of fixed size.
    BoundedSlice(i64),
    /// Anything else that was read from text; refused.
    Unknown(String),
}

impl From<i64> for BlockDim {
    fn from(size: i64) -> Self {
        Self::Blocked(size)
    }
}

impl FromStr for BlockDim {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        if matches!(text, "None" | "null" | "Squeezed" | "Squeezed()") {
            return Ok(Self::Squeezed);
        }
        let unknown = || Self::Unknown(text.to_owned());
        if let Ok(size) = text.parse() {
            return Ok(Self::Blocked(size));
        }
        let Some((name, rest)) = text.split_once('(') else { return Ok(unknown()) };
        let Some(inside) = rest.strip_suffix(')') else { return Ok(unknown()) };
        let numbers: Vec<Result<i64, _>> = inside
            .split([',', '(', ')'])
            .map(|part| part.trim().trim_start_matches("padding=").trim())
            .filter(|part| !part.is_empty())
            .map(str::parse)
            .collect();
        Ok(match (name.trim(), numbers.as_slice()) {
            ("Blocked", [Ok(size)]) => Self::Blocked(*size),
            ("Element", [Ok(size)]) => Self::Element { size: *size, padding: (0, 0) },
            ("Element", [Ok(size), Ok(low), Ok(high)]) => {
                Self::Element { size: *size, padding: (*low, *high) }
            }
            ("BoundedSlice", [Ok(bound)]) => Self::BoundedSlice(*bound),
            _ => unknown(),
        })
    }
}

/// How a pipeline brings blocks to shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipelineMode {
    /// A ring of so many slots, filled ahead of their use.
    Buffered(i64),
    /// One slot, filled when it is needed.
    Synchronous,
    /// A mode named by text that is neither; refused.
    Unknown(String),
}

impl PipelineMode {
    /// What there is, for messages.
    pub const CHOICES: &str = "`Buffered(n)`, a ring of n slots, and `Synchronous`";

    /// The slots that it takes.
    fn slots(&self) -> Result<i64, SpecErrorKind> {
        match self {
            Self::Buffered(slots) if *slots >= 1 => Ok(*slots),
            Self::Buffered(found) => Err(SpecErrorKind::PipelineDepth { found: *found }),
            Self::Synchronous => Ok(1),
            Self::Unknown(text) => Err(SpecErrorKind::PipelineModeText { text: text.clone() }),
        }
    }
}

impl FromStr for PipelineMode {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let inner = text.trim();
        if matches!(inner, "Synchronous" | "Synchronous()" | "synchronous") {
            return Ok(Self::Synchronous);
        }
        let inside =
            ["Buffered(", "buffered("].iter().find_map(|name| inner.strip_prefix(name)?.strip_suffix(')'));
        let slots = inside.and_then(|inside| inside.trim().trim_start_matches("buffer_count=").parse().ok());
        Ok(slots.map_or_else(|| Self::Unknown(text.to_owned()), Self::Buffered))
    }
}

impl From<&str> for PipelineMode {
    fn from(text: &str) -> Self {
        let Ok(mode) = text.parse();
        mode
    }
}

/// From indices of a grid to the index of a block, one number for each block dimension.
#[derive(Clone)]
pub struct IndexMap(Rc<Map>);

type Map = dyn Fn(&[Idx]) -> Vec<Idx>;

impl IndexMap {
    pub(crate) fn call(&self, grid: &[Idx]) -> Vec<Idx> {
        (self.0)(grid)
    }
}

impl fmt::Debug for IndexMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IndexMap(..)")
    }
}

/// Two index maps are equal when they are the same one.
impl PartialEq for IndexMap {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// How an array is cut into blocks. [`BlockSpec::window`] applies it to an array.
///
/// ```
/// use tidegate::frontend::*;
///
/// let spec = BlockSpec::new([BlockDim::Squeezed, 64.into()]).pipeline_mode(PipelineMode::Buffered(2));
/// let window = spec.window(&ShapedArray::new([16, 128], F32))?;
/// assert_eq!(window.array_aval()?.to_string(), "f32[64]");
/// assert_eq!(window.ring().array_aval()?.to_string(), "f32[2, 64]");
/// # Ok::<(), SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BlockSpec {
    /// The block, one entry for each dimension of the array.
    pub dims: Vec<BlockDim>,
    /// Which block; that of the grid's indices themselves when not given.
    pub index_map: Option<IndexMap>,
    /// How blocks are brought; one slot when not given.
    pub pipeline_mode: Option<PipelineMode>,
    /// Steps for which a slot stays in use after its own.
    pub delay_release: i64,
}

impl BlockSpec {
    /// A block of these dimensions.
    pub fn new<D: Into<BlockDim>>(dims: impl IntoIterator<Item = D>) -> Self {
        Self {
            dims: dims.into_iter().map(Into::into).collect(),
            index_map: None,
            pipeline_mode: None,
            delay_release: 0,
        }
    }
    /// A block of dimensions given as text, such as `["64", "None"]`.
    pub fn from_text<T: AsRef<str>>(dims: impl IntoIterator<Item = T>) -> Self {
        let read = |text: T| {
            let Ok(dim) = text.as_ref().parse::<BlockDim>();
            dim
        };
        Self::new(dims.into_iter().map(read))
    }
    /// Sets which block the grid's indices mean.
    #[must_use]
    pub fn index_map(mut self, map: impl Fn(&[Idx]) -> Vec<Idx> + 'static) -> Self {
        self.index_map = Some(IndexMap(Rc::new(map)));
        self
    }
    /// Sets how blocks are brought to shared memory.
    #[must_use]
    pub fn pipeline_mode(mut self, mode: impl Into<PipelineMode>) -> Self {
        self.pipeline_mode = Some(mode.into());
        self
    }
    /// Sets for how many steps a slot stays in use after its own.
    #[must_use]
    pub fn delay_release(mut self, steps: i64) -> Self {
        self.delay_release = steps;
        self
    }

    /// The window that this spec cuts out of `array`.
    ///
    /// # Errors
    /// When a dimension or the pipeline mode is not supported, or does not fit the array.
    #[track_caller]
    pub fn window(&self, array: &ShapedArray) -> Result<BlockWindow, SpecError> {
        let window = BlockWindow { spec: self.clone(), array: array.clone() };
        window.ref_aval().map(|_| window)
    }
}

/// A [`BlockSpec`] applied to an array: what one step of a pipeline sees, in shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockWindow {
    /// The block.
    pub spec: BlockSpec,
    /// The whole array.
    pub array: ShapedArray,
}

impl BlockWindow {
    /// The ring of slots that holds the window: its shape, with the number of slots in front.
    pub fn ring(&self) -> Smem {
        let slots = self.slots().unwrap_or(0);
        let shape: Vec<i64> = std::iter::once(slots).chain(self.extents().unwrap_or_default()).collect();
        Smem::new(shape, self.array.dtype)
    }
    /// The number of slots.
    fn slots(&self) -> Result<i64, SpecErrorKind> {
        self.spec.pipeline_mode.as_ref().map_or(Ok(1), PipelineMode::slots)
    }
    /// The window's extents, squeezed dimensions left out.
    fn extents(&self) -> Result<Vec<i64>, SpecErrorKind> {
        let (dims, shape) = (&self.spec.dims, &self.array.shape);
        if dims.len() != shape.len() {
            return Err(SpecErrorKind::BlockRank {
                found: dims.len(),
                rank: shape.len(),
                shape: shape.clone(),
            });
        }
        let mut extents = Vec::new();
        for (dim, (entry, &extent)) in dims.iter().zip(shape).enumerate() {
            let block = match entry {
                BlockDim::Squeezed => continue,
                BlockDim::Blocked(size) => *size,
                BlockDim::Element { size, padding: (0, 0) } => *size,
                BlockDim::Element { size, padding: (low, high) } => {
                    return Err(SpecErrorKind::PaddedElement { dim, size: *size, low: *low, high: *high });
                }
                BlockDim::BoundedSlice(bound) => {
                    return Err(SpecErrorKind::BoundedSlice { dim, bound: *bound });
                }
                BlockDim::Unknown(text) => {
                    return Err(SpecErrorKind::BlockDimText { dim, text: text.clone() });
                }
            };
            if block < 1 {
                return Err(SpecErrorKind::BlockExtent { dim, found: block });
            }
            if extent != DYNAMIC && block > extent {
                return Err(SpecErrorKind::BlockLarger { dim, block, extent });
            }
            extents.push(block);
        }
        Ok(extents)
    }
}

impl RefSpec for BlockWindow {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        let shape = self.extents()?;
        let slots = self.slots()?;
        let delay = self.spec.delay_release;
        if delay < 0 {
            return Err(SpecErrorKind::NegativeDelay { found: delay });
        }
        if delay >= slots && delay > 0 {
            return Err(SpecErrorKind::DelayRelease { delay, slots });
        }
        let array = ShapedArray { shape, dtype: self.array.dtype };
        let aval = RefAval::Array(ArrayRefAval::new(array, SmemSpace::SPACE));
        aval.intern(&mut TypeTable::default())?;
        Ok(aval)
    }
}
