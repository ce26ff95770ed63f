//! `tcgen05.mma` (PTX ISA "TensorCore 5th Generation matrix multiply and accumulate"): dense and block-scaled, by one
//! block or by a pair.
//!
//! With `cta_group::2` each block of the pair gives its half of A's rows and its half of B's columns, from the same
//! offsets of its own shared memory, and keeps its rows of D (layouts: [`Accumulator`]).
//!
//! An operation reads its operands, sums, and writes D when the machine lets its effect happen: the descriptors are
//! decoded when it is issued.

use super::{LANES, split};
use crate::access::Address;
use crate::engine::{Effect, Issue, Op, Pipe, Track};
use crate::finding::{Code, Finding};
use crate::hardware::{Actor, Hardware, Stop};
use crate::matrix::tmem::Accumulator;
use crate::matrix::{Format, InstructionDescriptor, Kind, Major, Operand, ScaleFormat, SmemMatrix};
use crate::memory::shared_address;
use crate::num::dot::{self, Shape};
use crate::num::format::{Float, ue8m0_to_f32};
use crate::num::slices;

/// Where A comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AOperand {
    /// A shared-memory matrix descriptor.
    Shared(u64),
    /// An address in tensor memory.
    Tensor(u32),
}

/// Scale factors in tensor memory (`.block_scale`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// Address of A's.
    pub a: u32,
    /// Address of B's.
    pub b: u32,
    /// Elements of K that share a factor: 32 or 16.
    pub block: u32,
}

/// What one `tcgen05.mma` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mma {
    /// 1 or 2.
    pub cta_group: u32,
    /// The kind.
    pub kind: Kind,
    /// Address of D.
    pub d: u32,
    /// A.
    pub a: AOperand,
    /// Descriptor of B.
    pub b: u64,
    /// The instruction descriptor.
    pub descriptor: u32,
    /// D is added to (`enable-input-d`).
    pub accumulate: bool,
    /// D is multiplied by two to the minus this, first.
    pub scale_d: u32,
    /// One bit for each lane (of the even block, then of the odd one) that is not written.
    pub disabled: [u32; 8],
    /// Block scaling, of the kinds that have it.
    pub scaling: Option<Scaling>,
}

/// Room for decoded operands, kept so that an instruction allocates none.
#[derive(Default)]
pub(super) struct Scratch {
    a: Vec<f32>,
    b: Vec<f32>,
    d: Vec<f32>,
    int_a: Vec<i32>,
    int_b: Vec<i32>,
    int_d: Vec<i32>,
}

/// An instruction, decoded.
struct Plan {
    mma: Mma,
    inst: InstructionDescriptor,
    layout: Accumulator,
    a: Option<Operand>,
    b: Operand,
    /// Ranks of the pair.
    ranks: (u32, u32),
}

/// Sixteen-byte chunks of a block's shared memory that an operand touches: a bit for each of the descriptor's window.
struct Touched([u64; (SmemMatrix::WINDOW / 16 / 64) as usize]);

impl Touched {
    fn add(&mut self, address: u32) {
        let chunk = (address / 16) as usize;
        if let Some(word) = self.0.get_mut(chunk / 64) {
            *word |= 1 << (chunk % 64);
        }
    }

    /// Runs of bytes.
    fn runs(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut at = 0u32;
        let end = self.0.len() as u32 * 64;
        let next = move |mut at: u32, value: bool| {
            while at < end {
                let word = self.0[(at / 64) as usize];
                let word = if value { word } else { !word } >> (at % 64);
                if word != 0 {
                    return at + word.trailing_zeros();
                }
                at = (at / 64 + 1) * 64;
            }
            end
        };
        std::iter::from_fn(move || {
            let first = next(at, true);
            if first >= end {
                return None;
            }
            let after = next(first, false).min(end);
            at = after;
            Some((first * 16, (after - first) * 16))
        })
    }
}

/// Elements in 16 bytes of shared memory, and how many of the 16 bytes hold them (the 4- and 6-bit types of kind f8f6f4 are
/// padded).
fn packing(kind: Kind, format: Format) -> (u32, u32) {
    match (kind, format) {
        (Kind::MxF4 | Kind::MxF4NvF4, _) => (32, 16),
        (_, Format::F16 | Format::Bf16) => (8, 16),
        (_, Format::Tf32 | Format::F32 | Format::S32) => (4, 16),
        (_, Format::E2m1) => (16, 8),
        (_, Format::E2m3 | Format::E3m2) => (16, 12),
        _ => (16, 16),
    }
}

fn float(format: Format) -> Float {
    match format {
        Format::F16 => Float::F16,
        Format::Bf16 => Float::Bf16,
        Format::Tf32 => Float::Tf32,
        Format::E4m3 => Float::E4m3,
        Format::E5m2 => Float::E5m2,
        Format::E2m3 => Float::E2m3,
        Format::E3m2 => Float::E3m2,
        Format::E2m1 => Float::E2m1,
        Format::F32 | Format::U8 | Format::S8 | Format::S32 => Float::F32,
    }
}

/// The values of a chunk of shared memory.
fn decode_floats(format: Format, bytes: &[u8], out: &mut [f32; 32]) {
    match format {
        Format::E2m1 => slices::decode_e2m1_packed(bytes, out),
        Format::E2m3 | Format::E3m2 => {
            let table =
                if format == Format::E2m3 { &crate::num::format::E2M3 } else { &crate::num::format::E3M2 };
            let mut codes = [0; 16];
            codes.get_mut(..bytes.len()).into_iter().for_each(|c| c.copy_from_slice(bytes));
            let codes = u128::from_le_bytes(codes);
            for (i, value) in out[..16].iter_mut().enumerate() {
                *value = table[(codes >> (6 * i)) as usize & 0x3f];
            }
        }
        _ => slices::decode_bytes(float(format), bytes, out),
    }
}

fn decode_ints(format: Format, bytes: &[u8], out: &mut [i32; 32]) {
    if format == Format::S8 { slices::decode_s8(bytes, out) } else { slices::decode_u8(bytes, out) }
}

impl Hardware {
    /// Issues a `tcgen05.mma` by a thread.
    ///
    /// # Errors
    ///
    /// [`Stop`] with a finding: descriptors that the hardware does not take, a shape that the kind does not have, an
    /// accumulator outside of tensor memory, mixed `cta_group`s.
    pub fn tensor_mma(&mut self, actor: Actor, mma: Mma) -> Result<(), Stop> {
        const WHAT: &str = "tcgen05.mma";
        let ranks = self.tensor_group(actor, mma.cta_group, WHAT)?;
        let inst = self.descriptor(actor, InstructionDescriptor::decode(mma.descriptor, mma.kind))?;
        self.descriptor(actor, inst.check_shape(mma.descriptor, mma.cta_group, false))?;
        if inst.sparse {
            let message = format!(
                "instruction descriptor {:#010x} says that A is sparse (bit 2); tcgen05.mma without .sp takes a dense A",
                mma.descriptor
            );
            return self.fail(Finding::new(Code::Descriptor, message).at(actor.place, "here"));
        }
        let Some(layout) = Accumulator::of(mma.cta_group, inst.m, false, false) else {
            let message = format!("tcgen05.mma of M {} has no layout in tensor memory", inst.m);
            return self.fail(Finding::new(Code::Descriptor, message).at(actor.place, "here"));
        };
        let a = match mma.a {
            AOperand::Shared(descriptor) => {
                let matrix = self.descriptor(actor, SmemMatrix::from_tcgen05(descriptor))?;
                let chunk = packing(mma.kind, inst.a).0;
                Some(self.descriptor(actor, Operand::new(matrix, inst.a_major, chunk))?)
            }
            AOperand::Tensor(_) => {
                self.check_tensor_a(actor, &inst)?;
                None
            }
        };
        let matrix = self.descriptor(actor, SmemMatrix::from_tcgen05(mma.b))?;
        let b = self.descriptor(actor, Operand::new(matrix, inst.b_major, packing(mma.kind, inst.b).0))?;
        let lane = split(mma.d).0;
        let half = matches!(layout, Accumulator::F | Accumulator::C);
        if lane != 0 && !(half && lane == 16) {
            let message = format!(
                "tcgen05.mma of M {} with D at lane {lane}: it starts at lane 0{}",
                inst.m,
                if half { " or 16" } else { "" }
            );
            return self.tensor_misuse(actor, message, "give the address of the accumulator's first row");
        }
        let plan = Plan { mma, inst, layout, a, b, ranks };
        self.issue(Issue {
            agent: actor.agent,
            lanes: actor.lanes,
            place: actor.place,
            what: WHAT,
            track: Track::Pipe(Pipe::Tcgen05),
            group: None,
            after: Default::default(),
            effect: Effect::Run(Box::new(move |hw, op| plan.run(hw, op))),
            done: Default::default(),
            generic: false,
        });
        Ok(())
    }

    pub(super) fn descriptor<T, E: std::fmt::Display>(
        &mut self,
        actor: Actor,
        result: Result<T, E>,
    ) -> Result<T, Stop> {
        match result {
            Ok(value) => Ok(value),
            Err(e) => {
                let who = self.who(actor.agent, actor.lanes);
                let finding = Finding::new(Code::Descriptor, e.to_string())
                    .at(actor.place, format!("issued here by {who}"));
                self.fail(finding)
            }
        }
    }

    /// A in tensor memory is K-major, and its elements fill columns.
    fn check_tensor_a(&mut self, actor: Actor, inst: &InstructionDescriptor) -> Result<(), Stop> {
        if inst.a_major == Major::Mn {
            let message = "the instruction descriptor says that A is MN-major (bit 15), but A is in tensor memory, where it is K-major";
            return self.fail(Finding::new(Code::Descriptor, message).at(actor.place, "here"));
        }
        if packing(inst.kind, inst.a).1 != 16 {
            let message =
                format!("A of {:?} in tensor memory is not modelled: put it in shared memory", inst.a);
            return self.fail(Finding::new(Code::Unsupported, message).at(actor.place, "here"));
        }
        Ok(())
    }
}

impl Plan {
    fn run(self, hw: &mut Hardware, op: &Op) -> Result<(), Stop> {
        let Some(t) = hw.tensor(self.ranks.0) else { return Ok(()) };
        let mut scratch = std::mem::take(&mut t.scratch);
        let out = self.multiply(hw, op, &mut scratch);
        if let Some(t) = hw.tensor(self.ranks.0) {
            t.scratch = scratch;
        }
        out
    }

    fn actor(op: &Op) -> Actor {
        Actor { agent: op.agent, lanes: op.lanes, place: op.place }
    }

    fn blocks(&self) -> u32 {
        self.mma.cta_group
    }

    fn rank(&self, block: u32) -> u32 {
        if block == 0 { self.ranks.0 } else { self.ranks.1 }
    }

    fn multiply(&self, hw: &mut Hardware, op: &Op, s: &mut Scratch) -> Result<(), Stop> {
        let (m, n, k) = (self.inst.m as usize, self.inst.n as usize, self.inst.k as usize);
        let column = split(self.mma.d).1;
        for block in 0..self.blocks() {
            let rank = self.rank(block);
            let columns = (column, self.layout.columns(self.inst.n));
            hw.tensor_access_for(op, rank, columns, true)?;
            if self.mma.accumulate {
                self.check_input(hw, op, rank, columns);
            }
        }
        let shape = Shape { m, n, k };
        if self.inst.kind == Kind::I8 {
            resize(&mut s.int_a, m * k);
            resize(&mut s.int_b, k * n);
            resize(&mut s.int_d, m * n);
            let (fa, fb) = (self.inst.a, self.inst.b);
            self.operand_a(hw, op, &mut s.int_a, &|bytes, out| decode_ints(fa, bytes, out))?;
            self.operand_b(hw, op, &mut s.int_b, &|bytes, out| decode_ints(fb, bytes, out))?;
            self.input(hw, &mut s.int_d, |cell| cell as i32);
            let _ = if self.inst.saturate {
                dot::mma_i32_satfinite(shape, &s.int_a, &s.int_b, &mut s.int_d)
            } else {
                dot::mma_i32(shape, &s.int_a, &s.int_b, &mut s.int_d)
            };
            self.output(hw, &s.int_d, |value| value as u32);
            return Ok(());
        }
        resize(&mut s.a, m * k);
        resize(&mut s.b, k * n);
        resize(&mut s.d, m * n);
        let (fa, fb) = (self.inst.a, self.inst.b);
        self.operand_a(hw, op, &mut s.a, &|bytes, out| decode_floats(fa, bytes, out))?;
        self.operand_b(hw, op, &mut s.b, &|bytes, out| decode_floats(fb, bytes, out))?;
        for (negate, values) in [(self.inst.a_negate, &mut s.a), (self.inst.b_negate, &mut s.b)] {
            if negate {
                values.iter_mut().for_each(|v| *v = -*v);
            }
        }
        if let Some(scaling) = self.mma.scaling {
            self.scale(hw, op, &scaling, s)?;
        }
        let narrow = self.inst.d == Format::F16;
        if narrow {
            self.input(hw, &mut s.d, |cell| half::f16::from_bits(cell as u16).to_f32());
        } else {
            self.input(hw, &mut s.d, f32::from_bits);
        }
        if self.mma.scale_d > 0 {
            let factor = 0.5f32.powi(self.mma.scale_d as i32);
            s.d.iter_mut().for_each(|v| *v *= factor);
        }
        // The slices have the shape's lengths: they were made so.
        let _ = dot::mma_f32(shape, &s.a, &s.b, &mut s.d);
        if narrow {
            slices::round_to_f16(&mut s.d);
            self.output(hw, &s.d, |value| u32::from(half::f16::from_f32(value).to_bits()));
        } else {
            slices::canonical_f32(&mut s.d);
            self.output(hw, &s.d, f32::to_bits);
        }
        Ok(())
    }

    /// The rows of D: block, lane, first column, and where the run starts in a matrix by rows.
    fn runs(&self) -> impl Iterator<Item = (u32, u32, u32, usize)> {
        let (layout, m, n) = (self.layout, self.inst.m, self.inst.n);
        let (lane, column) = split(self.mma.d);
        let width = layout.columns(n);
        let parts = layout.a_parts();
        (0..m).flat_map(move |row| {
            (0..parts).map(move |part| {
                let cell = layout.place(row, part * width, n);
                (cell.block, cell.lane + lane, column, (row * n + part * width) as usize)
            })
        })
    }

    fn check_input(&self, hw: &mut Hardware, op: &Op, rank: u32, columns: (u32, u32)) {
        let first = split(self.mma.d).0;
        let runs: &[(u32, u32)] = match self.layout {
            Accumulator::C | Accumulator::F => &[(0, 16), (32, 16), (64, 16), (96, 16)],
            _ => &[(0, LANES)],
        };
        for &(lane, lanes) in runs {
            hw.tensor_written(Plan::actor(op), op.what, rank, (first + lane, lanes), columns);
        }
    }

    /// D before.
    fn input<T: Copy + Default>(&self, hw: &Hardware, d: &mut [T], decode: impl Fn(u32) -> T) {
        if !self.mma.accumulate {
            d.fill(T::default());
            return;
        }
        let width = self.layout.columns(self.inst.n);
        for (block, lane, column, first) in self.runs() {
            let tensor = hw.blocks.get(self.rank(block) as usize).and_then(|b| b.tensor.as_deref());
            let row = tensor.map_or(&[][..], |t| t.row(lane, column, width));
            for (value, &cell) in d[first..].iter_mut().zip(row) {
                *value = decode(cell);
            }
        }
    }

    /// D after.
    fn output<T: Copy>(&self, hw: &mut Hardware, d: &[T], encode: impl Fn(T) -> u32) {
        let width = self.layout.columns(self.inst.n);
        for (block, lane, column, first) in self.runs() {
            let at = block * LANES + lane;
            if self.mma.disabled.get((at / 32) as usize).is_some_and(|bits| bits >> (at % 32) & 1 == 1) {
                continue;
            }
            let Some(t) = hw.tensor(self.rank(block)) else { continue };
            for (cell, &value) in t.row_mut(lane, column, width).iter_mut().zip(&d[first..]) {
                *cell = encode(value);
            }
        }
    }

    fn operand_a<T: Copy + Default + PartialEq>(
        &self,
        hw: &mut Hardware,
        op: &Op,
        out: &mut [T],
        decode: &dyn Fn(&[u8], &mut [T; 32]),
    ) -> Result<(), Stop> {
        let (m, k) = (self.inst.m, self.inst.k);
        let AOperand::Tensor(address) = self.mma.a else {
            let Some(operand) = self.a else { return Ok(()) };
            let rows = m / self.blocks();
            let used = packing(self.inst.kind, self.inst.a).1;
            for block in 0..self.blocks() {
                let part = &mut out[(block * rows * k) as usize..];
                gather(hw, op, self.rank(block), (&operand, rows, k, used), part, (k as usize, 1), decode)?;
            }
            return Ok(());
        };
        let (lane, column) = split(address);
        let per_column = packing(self.inst.kind, self.inst.a).0 / 4;
        let columns = (column, k / per_column);
        for block in 0..self.blocks() {
            hw.tensor_access_for(op, self.rank(block), columns, false)?;
        }
        let mut values = [T::default(); 32];
        for row in 0..m {
            for part in 0..self.layout.a_parts() {
                let (block, at) = self.layout.a_lane(row, part);
                let (rank, at) = (self.rank(block), (at + lane) % LANES);
                hw.tensor_written(Plan::actor(op), op.what, rank, (at, 1), columns);
                let Some(t) = hw.tensor(rank) else { return Ok(()) };
                let cells = t.row(at, column, columns.1);
                let out = &mut out[(row * k) as usize..((row + 1) * k) as usize];
                for (cells, out) in cells.chunks(4).zip(out.chunks_mut(4 * per_column as usize)) {
                    let mut bytes = [0; 16];
                    for (bytes, cell) in bytes.chunks_mut(4).zip(cells) {
                        bytes.copy_from_slice(&cell.to_le_bytes());
                    }
                    decode(&bytes, &mut values);
                    let values = &values[..out.len().min(32)];
                    if part > 0 && values != &out[..values.len()] {
                        return self.copies_differ(hw, op, row);
                    }
                    out[..values.len()].copy_from_slice(values);
                }
            }
        }
        Ok(())
    }

    /// Where D's columns lie in several lanes, A is there once for each: the model takes the first.
    fn copies_differ(&self, hw: &mut Hardware, op: &Op, row: u32) -> Result<(), Stop> {
        let parts = self.layout.a_parts();
        let message = format!(
            "row {row} of A differs among its {parts} copies in tensor memory: M {} of cta_group::{} needs A {parts} times, {} lanes apart",
            self.inst.m,
            self.mma.cta_group,
            LANES / parts
        );
        hw.tensor_misuse(Plan::actor(op), message, "store A to both halves of the lanes")
    }

    fn operand_b<T: Copy + Default>(
        &self,
        hw: &mut Hardware,
        op: &Op,
        out: &mut [T],
        decode: &dyn Fn(&[u8], &mut [T; 32]),
    ) -> Result<(), Stop> {
        let (n, k) = (self.inst.n, self.inst.k);
        let columns = n / self.blocks();
        let used = packing(self.inst.kind, self.inst.b).1;
        for block in 0..self.blocks() {
            let part = &mut out[(block * columns) as usize..];
            gather(hw, op, self.rank(block), (&self.b, columns, k, used), part, (1, n as usize), decode)?;
        }
        Ok(())
    }

    /// Multiplies A and B by their scale factors (PTX ISA "Block scaling"): the factors of row r (column n of B) are in lane
    /// `r % 32` of each quarter, in column `r / 32` from the address on, a byte for each block of K, from byte ID on.
    fn scale(&self, hw: &mut Hardware, op: &Op, scaling: &Scaling, s: &mut Scratch) -> Result<(), Stop> {
        let Some(fields) = self.inst.scale else { return Ok(()) };
        let (m, n, k) = (self.inst.m, self.inst.n, self.inst.k);
        let decode = |code: u8| match fields.format {
            ScaleFormat::Ue8m0 => ue8m0_to_f32(code),
            // Unsigned: the sign bit is not there.
            ScaleFormat::Ue4m3 => crate::num::format::E4M3[usize::from(code & 0x7f)],
        };
        let rows = m / self.blocks();
        for block in 0..self.blocks() {
            let rank = self.rank(block);
            for (address, count) in [(scaling.a, rows.div_ceil(32)), (scaling.b, n.div_ceil(32))] {
                let columns = (split(address).1, count);
                hw.tensor_access_for(op, rank, columns, false)?;
                hw.tensor_written(Plan::actor(op), op.what, rank, (0, 32), columns);
            }
        }
        let factor = |hw: &Hardware, rank: u32, address: u32, at: u32, byte: u32| {
            let tensor = hw.blocks.get(rank as usize).and_then(|b| b.tensor.as_deref());
            let column = split(address).1 + at / 32;
            let cell = tensor.and_then(|t| t.row(at % 32, column, 1).first().copied()).unwrap_or(0);
            decode(cell.to_le_bytes()[(byte & 3) as usize])
        };
        let blocks = k.div_ceil(scaling.block);
        for row in 0..m {
            for b in 0..blocks {
                let f = factor(hw, self.rank(row / rows), scaling.a, row % rows, fields.a_id + b);
                let first = (row * k + b * scaling.block) as usize;
                s.a[first..first + scaling.block as usize].iter_mut().for_each(|v| *v *= f);
            }
        }
        for column in 0..n {
            for b in 0..blocks {
                let f = factor(hw, self.ranks.0, scaling.b, column, fields.b_id + b);
                for k in b * scaling.block..(b + 1) * scaling.block {
                    s.b[(k * n + column) as usize] *= f;
                }
            }
        }
        Ok(())
    }
}

fn resize<T: Copy + Default>(values: &mut Vec<T>, len: usize) {
    values.resize(len, T::default());
}

/// Reads an operand of `mn` by `k` elements from a block's shared memory; `used` bytes of each chunk hold elements. An
/// element goes to `mn * strides.0 + k * strides.1`.
fn gather<T: Copy + Default>(
    hw: &mut Hardware,
    op: &Op,
    rank: u32,
    (operand, mn, k, used): (&Operand, u32, u32, u32),
    out: &mut [T],
    strides: (usize, usize),
    decode: &dyn Fn(&[u8], &mut [T; 32]),
) -> Result<(), Stop> {
    let mut touched = Touched([0; (SmemMatrix::WINDOW / 16 / 64) as usize]);
    let mut values = [T::default(); 32];
    for chunk in operand.chunks(mn, k) {
        let address = shared_address(rank, chunk.address);
        let Some(bytes) = hw.shared_bytes(address, 16) else {
            return hw.outside(Plan::actor(op), op.what, Address::Shared(address), 16);
        };
        decode(&bytes[..used as usize], &mut values);
        touched.add(chunk.address);
        let (stride, left) = match operand.major() {
            Major::K => (strides.1, k - chunk.k),
            Major::Mn => (strides.0, mn - chunk.mn),
        };
        let first = chunk.mn as usize * strides.0 + chunk.k as usize * strides.1;
        let count = left.min(operand.chunk_elements()) as usize;
        let to = out.get_mut(first..).unwrap_or(&mut []);
        if stride == 1 {
            to[..count].copy_from_slice(&values[..count]);
        } else {
            for (to, value) in to.iter_mut().step_by(stride).zip(&values[..count]) {
                *to = *value;
            }
        }
    }
    for (start, len) in touched.runs() {
        if used == 16 {
            hw.note_read(op, Address::Shared(shared_address(rank, start)), u64::from(len))?;
        } else {
            for chunk in (start..start + len).step_by(16) {
                hw.note_read(op, Address::Shared(shared_address(rank, chunk)), u64::from(used))?;
            }
        }
    }
    Ok(())
}
