//! What the threads of a cluster share: global and shared memory, barriers, and meetings of all threads.

use std::collections::HashMap;

use tidegate::ir::Op;

use super::number::{Elem, Num};

/// Where the elements of a ref are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Parameter of that number.
    Param(usize),
    /// An allocation of the executing block, of memory or of barriers.
    Alloc(Op),
}

/// A dimension that a view shows: which one of the root, the distance of neighbours along it, and its extent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dim {
    pub(crate) of_root: usize,
    pub(crate) step: i64,
    pub(crate) extent: i64,
}

/// A part of a root: where it starts along each dimension of the root, and the dimensions it shows.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) root: Root,
    pub(crate) origin: Vec<i64>,
    pub(crate) dims: Vec<Dim>,
}

impl View {
    /// The whole of a root of these extents.
    pub(crate) fn whole(root: Root, extents: &[i64]) -> Self {
        let dims = extents.iter().enumerate().map(|(of_root, &extent)| Dim { of_root, step: 1, extent });
        Self { root, origin: vec![0; extents.len()], dims: dims.collect() }
    }

    /// Moved by indices along the leading dimensions.
    pub(crate) fn moved(mut self, indices: &[i64]) -> Self {
        for (&index, dim) in indices.iter().zip(&self.dims) {
            self.origin[dim.of_root] += index * dim.step;
        }
        self
    }

    /// The part behind leading indices.
    pub(crate) fn behind(self, indices: &[i64]) -> Self {
        let mut view = self.moved(indices);
        view.dims.drain(..indices.len());
        view
    }

    /// The place of an access: starts at `indices`, and has the extents of the other side, aligned to the right.
    pub(crate) fn access(self, indices: &[i64], extents: &[i64]) -> Self {
        let mut view = self.moved(indices);
        let lead = view.dims.len().saturating_sub(extents.len());
        view.dims.drain(..lead);
        // Extents in front of the ref's own dimensions are 1.
        let extra = extents.len() - view.dims.len();
        for (dim, &extent) in view.dims.iter_mut().zip(&extents[extra..]) {
            dim.extent = extent;
        }
        view
    }

    /// The extents shown.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.dims.iter().map(|dim| usize::try_from(dim.extent).unwrap_or(0)).collect()
    }

    /// The position in the root of a position in the view.
    pub(crate) fn locate(&self, at: &[usize]) -> Vec<i64> {
        let mut place = self.origin.clone();
        for (dim, &at) in self.dims.iter().zip(at) {
            place[dim.of_root] += dim.step * at as i64;
        }
        place
    }
}

/// An array in memory; `None` was never written.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) elem: Elem,
    pub(crate) extents: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) cells: Vec<Option<Num>>,
}

impl Memory {
    /// Memory that nobody has written, dense unless strides are given.
    pub(crate) fn new(elem: Elem, extents: &[i64], strides: Option<&[i64]>) -> Self {
        let mut dense = vec![1i64; extents.len()];
        for dim in (1..extents.len()).rev() {
            dense[dim - 1] = dense[dim] * extents[dim];
        }
        let strides = strides.map_or(dense, <[i64]>::to_vec);
        let last: i64 = extents.iter().zip(&strides).map(|(&extent, &stride)| (extent - 1) * stride).sum();
        let empty = extents.contains(&0);
        let cells = if empty { 0 } else { usize::try_from(last + 1).unwrap_or(0) };
        Self { elem, extents: extents.to_vec(), strides, cells: vec![None; cells] }
    }

    /// The cell at a position, unless it lies outside.
    pub(crate) fn cell(&self, place: &[i64]) -> Option<usize> {
        let inside = place.iter().zip(&self.extents).all(|(at, extent)| (0..*extent).contains(at));
        let number: i64 = place.iter().zip(&self.strides).map(|(&at, &stride)| at * stride).sum();
        inside.then(|| usize::try_from(number).unwrap_or(usize::MAX)).filter(|&cell| cell < self.cells.len())
    }
}

/// An mbarrier.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    /// Arrivals of a phase.
    arrivals: i64,
    pending: i64,
    /// Bytes announced and not paid.
    bytes: i64,
    /// Phases completed.
    pub(crate) completed: u64,
    alive: bool,
}

impl Barrier {
    pub(crate) fn new(arrivals: i64, alive: bool) -> Self {
        Self { arrivals, pending: arrivals, bytes: 0, completed: 0, alive }
    }
    /// `tg.init_barrier`.
    pub(crate) fn init(&mut self) {
        *self = Self::new(self.arrivals, true);
    }
    /// `tg.inval_barrier`.
    pub(crate) fn end(&mut self) {
        self.alive = false;
    }
    /// The barrier, when it lives.
    pub(crate) fn alive(&mut self) -> Result<&mut Self, String> {
        if self.alive { Ok(self) } else { Err("uses a barrier that is not initialised".into()) }
    }
    /// Announces bytes (or pays them, when negative) and makes arrivals; completes the phase when all is there.
    pub(crate) fn count(&mut self, arrivals: i64, bytes: i64) -> Result<(), String> {
        self.pending -= arrivals;
        self.bytes += bytes;
        if self.pending < 0 {
            return Err("arrives more often than the phase takes".into());
        }
        if self.pending == 0 && self.bytes < 0 {
            return Err("pays more bytes than were announced".into());
        }
        if self.pending == 0 && self.bytes == 0 {
            self.completed += 1;
            self.pending = self.arrivals;
        }
        Ok(())
    }
    /// Whether the phase of that parity has completed.
    pub(crate) fn has_passed(&self, parity: bool) -> bool {
        (self.completed & 1 != 0) != parity
    }
}

/// A place where all of a set of threads meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meeting {
    arrived: usize,
    generation: u64,
}

impl Meeting {
    /// One of `all` threads comes, or comes again with the ticket that it was given. Returns a ticket to wait with, or
    /// `None` when all are there.
    pub(crate) fn meet(&mut self, ticket: Option<u64>, all: usize) -> Option<u64> {
        let ticket = ticket.unwrap_or_else(|| {
            self.arrived += 1;
            let mine = self.generation;
            if self.arrived == all {
                self.arrived = 0;
                self.generation += 1;
            }
            mine
        });
        (self.generation == ticket).then_some(ticket)
    }
}

/// What the threads of a block share.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The block's position on each axis of the grid and of the cluster.
    pub(crate) axes: HashMap<String, i64>,
    pub(crate) memories: HashMap<Op, Memory>,
    pub(crate) barriers: HashMap<Op, Vec<Barrier>>,
    pub(crate) sync: Meeting,
    pub(crate) roles_end: Meeting,
}

/// What the threads of a cluster share.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    /// Parameters that are arrays.
    pub(crate) params: &'a mut HashMap<usize, Memory>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) sync: Meeting,
    /// Threads of a block.
    pub(crate) threads: usize,
    /// What is told with `tg.debug_print`, by the thread that told it.
    pub(crate) told: Vec<String>,
}

impl Shared<'_> {
    /// The memory that a root is to block `block`.
    pub(crate) fn memory(&mut self, block: usize, root: Root) -> Result<&mut Memory, String> {
        let found = match root {
            Root::Param(number) => self.params.get_mut(&number),
            Root::Alloc(op) => self.blocks[block].memories.get_mut(&op),
        };
        found.ok_or_else(|| "uses memory of unknown origin".into())
    }

    /// The elements that a view shows; outside of the array they are 0 if `overhang` allows it.
    pub(crate) fn read(&mut self, block: usize, view: &View, overhang: bool) -> Result<Vec<Num>, String> {
        let memory = self.memory(block, view.root)?;
        let mut result = Vec::new();
        for at in super::array::positions(&view.shape()) {
            let place = view.locate(&at);
            result.push(match memory.cell(&place) {
                Some(cell) => memory.cells[cell]
                    .ok_or_else(|| format!("reads element {place:?}, which nobody has written"))?,
                None if overhang => memory.elem.float(0.0),
                None => return Err(format!("reads element {place:?}, which does not exist")),
            });
        }
        Ok(result)
    }

    /// Writes the elements that a view shows; those outside of the array are dropped if `overhang` allows it.
    pub(crate) fn write(
        &mut self,
        block: usize,
        view: &View,
        data: &[Num],
        overhang: bool,
    ) -> Result<(), String> {
        let memory = self.memory(block, view.root)?;
        for (at, &value) in super::array::positions(&view.shape()).zip(data) {
            let place = view.locate(&at);
            match memory.cell(&place) {
                Some(cell) => memory.cells[cell] = Some(value),
                None if overhang => {}
                None => return Err(format!("writes element {place:?}, which does not exist")),
            }
        }
        Ok(())
    }
}
