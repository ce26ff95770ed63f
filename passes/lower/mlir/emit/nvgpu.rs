//! `nvgpu`: mbarriers. Operands are in the order of the definitions: group, count or bytes, then index.

use melior::ir::{Type, Value};

use super::{Emitted, Emitter};

/// The suspend-time hint of a wait, in nanoseconds. The op wants one; the loop that it becomes has none.
const TICKS: i64 = 10_000_000;

/// A group of mbarriers in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct BarrierGroup<'c, 'a> {
    /// The `!nvgpu.mbarrier.group`.
    pub group: Value<'c, 'a>,
    /// How many barriers it has.
    pub size: u32,
}

/// The attribute of `nvgpu.mbarrier.create` that says where in the dynamic shared memory the barriers lie, in bytes.
pub(in crate::lower::mlir) const BARRIER_OFFSET: &str = "smem_offset";

impl<'c, 'a> Emitter<'c, 'a> {
    /// `nvgpu.mbarrier.create`: `size` mbarriers at byte `offset` of the dynamic shared memory. MLIR's own conversion
    /// would put them into static memory of their own; the pipeline reads the attribute and moves them.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn create_barriers(&self, size: u32, offset: i64) -> Emitted<BarrierGroup<'c, 'a>> {
        let group = self.group_type(size)?;
        let place = (BARRIER_OFFSET, self.integer_attribute(self.types.i64, offset));
        Ok(BarrierGroup { group: self.value("nvgpu.mbarrier.create", &[], group, &[place])?, size })
    }

    fn group_type(&self, size: u32) -> Emitted<Type<'c>> {
        self.parse_type(&format!("!nvgpu.mbarrier.group<memorySpace = 3, num_barriers = {size}>"))
    }

    /// `nvgpu.mbarrier.init`: the barrier completes a phase after `count` arrivals. By one lane.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn init_barrier(&self, group: BarrierGroup<'c, 'a>, index: Value<'c, 'a>, count: u32) -> Emitted<()> {
        let count = self.index(count.into())?;
        self.op("nvgpu.mbarrier.init", &[group.group, count, index], &[], &[]).map(drop)
    }

    /// `nvgpu.mbarrier.arrive`: each lane that executes it arrives once.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn arrive(&self, group: BarrierGroup<'c, 'a>, index: Value<'c, 'a>) -> Emitted<()> {
        let token = self.parse_type("!nvgpu.mbarrier.token")?;
        self.value("nvgpu.mbarrier.arrive", &[group.group, index], token, &[]).map(drop)
    }

    /// `nvgpu.mbarrier.arrive.expect_tx`: each lane that executes it arrives once, and adds `bytes` to what the phase
    /// waits for.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn arrive_expect(
        &self,
        group: BarrierGroup<'c, 'a>,
        index: Value<'c, 'a>,
        bytes: Value<'c, 'a>,
    ) -> Emitted<()> {
        self.op("nvgpu.mbarrier.arrive.expect_tx", &[group.group, bytes, index], &[], &[]).map(drop)
    }

    /// `nvgpu.mbarrier.try_wait.parity`: waits until the phase of `parity`, an `i1`, has completed.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn wait(
        &self,
        group: BarrierGroup<'c, 'a>,
        index: Value<'c, 'a>,
        parity: Value<'c, 'a>,
    ) -> Emitted<()> {
        let ticks = self.index(TICKS)?;
        self.op("nvgpu.mbarrier.try_wait.parity", &[group.group, parity, ticks, index], &[], &[]).map(drop)
    }

    /// The address of a barrier, for ops of `nvvm`. (`nvgpu.mbarrier.get` gives an `i32`, which costs a mask to make a
    /// pointer of.)
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn barrier_address(
        &self,
        group: BarrierGroup<'c, 'a>,
        index: Value<'c, 'a>,
    ) -> Emitted<Value<'c, 'a>> {
        let memref = self.parse_type(&format!("memref<{}xi64, 3>", group.size))?;
        let memref = self.convert("builtin.unrealized_conversion_cast", group.group, memref)?;
        let address = self.convert("memref.extract_aligned_pointer_as_index", memref, self.types.index)?;
        let address = self.convert("arith.index_cast", address, self.types.i64)?;
        let base = self.convert("llvm.inttoptr", address, self.types.shared)?;
        let index = self.to_integer(index, self.types.i64)?;
        self.offset(base, super::Space::Shared, self.types.i64, super::GepIndex::Value(index))
    }
}
