//! What a WGMMA does when it happens: reads A and B through their descriptors, sums, writes D.

use super::super::tile::{Element, transpose};
use super::{Accumulator, Mma, Source};
use crate::regs::{Base, Regs, S32};
use std::cell::RefCell;
use tidegate_machine::access::Address;
use tidegate_machine::engine::Op;
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::hardware::{Hardware, Stop};
use tidegate_machine::matrix::{Major, Operand, SmemMatrix};
use tidegate_machine::memory::{RESERVED, shared_address};
use tidegate_machine::num::{dot, slices};

/// What is fixed when it is issued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) a: Option<SmemMatrix>,
    pub(super) b: SmemMatrix,
    pub(super) accumulate: bool,
    pub(super) base: Base,
    /// 0 to 3: which 16 rows.
    pub(super) warp: u32,
}

/// Rows of D that a warp has.
const ROWS: usize = 16;
/// Bytes of K of each row of A and column of B.
const K_BYTES: usize = 32;

/// Room to work in, kept by each thread of the host: no allocation for an instruction.
#[derive(Default)]
struct Scratch {
    /// Addresses of chunks of 16 bytes.
    chunks: Vec<u32>,
    touched: Touched,
    bytes: Vec<u8>,
    floats: Vec<f32>,
    a: Vec<f32>,
    b: Vec<f32>,
    d: Vec<f32>,
    integers: Vec<i32>,
    ia: Vec<i32>,
    ib: Vec<i32>,
    id: Vec<i32>,
}

/// Which 16-byte units of the window of descriptors are read: adjacent ones are checked as one.
struct Touched {
    words: Box<[u64; UNITS / 64]>,
    low: usize,
    high: usize,
}

const UNITS: usize = SmemMatrix::WINDOW as usize / 16;

impl Default for Touched {
    fn default() -> Touched {
        Touched { words: Box::new([0; UNITS / 64]), low: UNITS / 64, high: 0 }
    }
}

impl Touched {
    fn add(&mut self, address: u32) {
        let unit = address as usize / 16 % UNITS;
        self.words[unit / 64] |= 1 << (unit % 64);
        self.low = self.low.min(unit / 64);
        self.high = self.high.max(unit / 64 + 1);
    }

    /// Calls `f` with the address and length of each run; empty afterwards.
    fn runs(&mut self, mut f: impl FnMut(u32, u32) -> Result<(), Stop>) -> Result<(), Stop> {
        let mut out = Ok(());
        let mut start: Option<usize> = None;
        for w in self.low..self.high {
            let word = std::mem::take(&mut self.words[w]);
            let mut bit = 0;
            while bit < 64 {
                let rest = word >> bit;
                let ahead = if start.is_some() { rest.trailing_ones() } else { rest.trailing_zeros() };
                bit += ahead.min(64 - bit);
                if bit == 64 {
                    break;
                }
                let unit = w * 64 + bit as usize;
                match start.take() {
                    None => start = Some(unit),
                    Some(first) => out = out.and_then(|()| f(first as u32 * 16, (unit - first) as u32 * 16)),
                }
            }
        }
        if let Some(first) = start {
            let end = self.high * 64;
            out = out.and_then(|()| f(first as u32 * 16, (end - first) as u32 * 16));
        }
        (self.low, self.high) = (UNITS / 64, 0);
        out
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Does it.
pub(super) fn run(mma: &Mma, job: &Job, op: &Op, regs: &mut Regs, hw: &mut Hardware) -> Result<(), Stop> {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => scratch.run(mma, job, op, regs, hw),
        Err(_) => Scratch::default().run(mma, job, op, regs, hw),
    })
}

impl Scratch {
    fn run(&mut self, mma: &Mma, job: &Job, op: &Op, regs: &mut Regs, hw: &mut Hardware) -> Result<(), Stop> {
        regs.enter(job.base);
        let last = mma.d.iter().map(|s| s.0).max().unwrap_or(0);
        if regs.frame32().len() <= last as usize {
            let who = hw.who(op.agent, op.lanes);
            let message =
                format!("{who} ends, or returns, while a wgmma.mma_async on its registers is in flight");
            let finding = Finding::new(Code::ExitInFlight, message)
                .at(op.place, "issued here")
                .help("wgmma.commit_group and wgmma.wait_group 0 before the end");
            return hw.fail(finding);
        }
        // Which bytes: first the chunks of A, then those of B, line by line.
        self.chunks.clear();
        let mut a_chunks = 0;
        if let Some(matrix) = job.a {
            let row = job.warp * ROWS as u32;
            self.collect(op, hw, matrix, mma.a_major, mma.a_type, (row, ROWS as u32))?;
            a_chunks = self.chunks.len();
        }
        self.collect(op, hw, job.b, mma.b_major, mma.b_type, (0, mma.n as u32))?;
        let rank = hw.agent(op.agent).rank;
        let size = hw.blocks.get(rank as usize).map_or(0, |b| b.shared.bytes.len() as u32);
        for &at in &self.chunks {
            if at < RESERVED || at + 16 > size {
                // The machine words the finding.
                hw.read_for(op, Address::Shared(shared_address(rank, at)), &mut [0; 16])?;
            }
            self.touched.add(at);
        }
        self.touched
            .runs(|at, len| hw.note_read(op, Address::Shared(shared_address(rank, at)), u64::from(len)))?;
        let Some(shared) = hw.blocks.get(rank as usize).map(|b| &b.shared.bytes[..]) else { return Ok(()) };
        // A: 16 rows of 32 bytes, or 16 values of k with 32 bytes of rows.
        self.bytes.clear();
        match mma.a {
            Source::Registers(slots) => a_bytes(regs, &slots, &mut self.bytes),
            Source::Shared(_) => {
                gather(shared, &self.chunks[..a_chunks], &mut self.bytes);
            }
        }
        let split = self.bytes.len();
        gather(shared, &self.chunks[a_chunks..], &mut self.bytes);
        let (a, b) = self.bytes.split_at(split);
        let shape = dot::Shape { m: ROWS, n: mma.n, k: mma.k };
        match mma.accumulator {
            Accumulator::S32 if mma.a_type == Element::B1 => {
                get_i32(regs, mma, job.accumulate, &mut self.id);
                bits(a, b, mma.n, &mut self.id);
                put_i32(regs, mma, &self.id);
            }
            Accumulator::S32 => {
                self.ia.resize(ROWS * mma.k, 0);
                mma.a_type.integers(a, &mut self.ia);
                self.integers.resize(mma.k * mma.n, 0);
                mma.b_type.integers(b, &mut self.integers);
                self.ib.resize(mma.k * mma.n, 0);
                transpose(mma.n, mma.k, &self.integers, &mut self.ib);
                get_i32(regs, mma, job.accumulate, &mut self.id);
                let sum = if mma.satfinite { dot::mma_i32_satfinite } else { dot::mma_i32 };
                let done = sum(shape, &self.ia, &self.ib, &mut self.id);
                debug_assert!(done.is_ok());
                put_i32(regs, mma, &self.id);
            }
            _ => {
                decode(mma.a_type, mma.a_major, (ROWS, mma.k), a, &mut self.floats, &mut self.a);
                // B by columns is B by rows of its transpose.
                let major = if mma.b_major == Major::K { Major::Mn } else { Major::K };
                decode(mma.b_type, major, (mma.k, mma.n), b, &mut self.floats, &mut self.b);
                if mma.negate_a != mma.negate_b {
                    self.a.iter_mut().for_each(|v| *v = -*v);
                }
                get_f32(regs, mma, job.accumulate, &mut self.d);
                let done = dot::mma_f32(shape, &self.a, &self.b, &mut self.d);
                debug_assert!(done.is_ok());
                put_f32(regs, mma, &mut self.d);
            }
        }
        Ok(())
    }

    /// Adds the addresses of the chunks of an operand: `count` rows of M or N from `from` on, 32 bytes of K.
    fn collect(
        &mut self,
        op: &Op,
        hw: &mut Hardware,
        matrix: SmemMatrix,
        major: Major,
        element: Element,
        (from, count): (u32, u32),
    ) -> Result<(), Stop> {
        let elements = 128 / element.bits();
        let operand = match Operand::new(matrix, major, elements) {
            Ok(operand) => operand,
            Err(e) => {
                return hw.fail(Finding::new(Code::Descriptor, e.to_string()).at(op.place, "issued here"));
            }
        };
        let (lines, along) = match major {
            Major::K => (from..from + count, 0..2),
            Major::Mn => (0..2 * elements, from / elements..(from + count) / elements),
        };
        for line in lines {
            for chunk in along.clone() {
                self.chunks.push(operand.chunk_address(line, chunk));
            }
        }
        Ok(())
    }
}

fn gather(shared: &[u8], chunks: &[u32], out: &mut Vec<u8>) {
    for &at in chunks {
        if let Some(bytes) = shared.get(at as usize..at as usize + 16) {
            out.extend_from_slice(bytes);
        }
    }
}

/// A from registers: row g (+ 8 of odd registers), bytes 4t (+ 16 of the last two) of each 32
/// (ISA 9.7.15.5.1.1; [`tidegate_machine::matrix::fragments::wgmma_a`] for every type).
fn a_bytes(regs: &Regs, slots: &[S32; 4], out: &mut Vec<u8>) {
    out.resize(ROWS * K_BYTES, 0);
    for (r, slot) in slots.iter().enumerate() {
        for (lane, value) in regs.r32(*slot).iter().enumerate() {
            let row = lane / 4 + 8 * (r & 1);
            let at = row * K_BYTES + 16 * (r >> 1) + 4 * (lane % 4);
            out[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
}

/// `rows` by `columns` numbers by rows; with [`Major::Mn`] they lie by columns.
fn decode(
    element: Element,
    major: Major,
    (rows, columns): (usize, usize),
    bytes: &[u8],
    between: &mut Vec<f32>,
    out: &mut Vec<f32>,
) {
    out.resize(rows * columns, 0.0);
    if major == Major::K {
        element.floats(bytes, out);
    } else {
        between.resize(rows * columns, 0.0);
        element.floats(bytes, between);
        transpose(columns, rows, between, out);
    }
}

/// D += the number of ones in A and B, 256 bits of K.
fn bits(a: &[u8], b: &[u8], n: usize, d: &mut [i32]) {
    let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    for (a, d) in a.chunks_exact(4).zip(d.chunks_exact_mut(n)) {
        for (b, d) in b.chunks_exact(4).zip(d) {
            let ones =
                a.iter().zip(b).map(|(a, b)| (u64::from_le_bytes(*a) & u64::from_le_bytes(*b)).count_ones());
            *d = d.wrapping_add(ones.sum::<u32>() as i32);
        }
    }
}

/// Where pair `pair` of registers (of 32 bits), or register `pair` (of two halves), has its two numbers: the first row, the
/// first column. Row g of lane 4g + t comes after it, column 2t (ISA 9.7.15.5.1.1).
fn corner(pair: usize) -> (usize, usize) {
    (8 * (pair & 1), 8 * (pair >> 1))
}

macro_rules! words {
    ($get:ident, $put:ident, $ty:ty, $from:expr, $to:expr) => {
        fn $get(regs: &Regs, mma: &Mma, accumulate: bool, d: &mut Vec<$ty>) {
            d.clear();
            d.resize(ROWS * mma.n, Default::default());
            if !accumulate {
                return;
            }
            for (pair, slots) in mma.d.as_chunks::<2>().0.iter().enumerate() {
                let (row, column) = corner(pair);
                let (x, y) = (regs.r32(slots[0]), regs.r32(slots[1]));
                for g in 0..8 {
                    let to = &mut d[(row + g) * mma.n + column..][..8];
                    for t in 0..4 {
                        to[2 * t] = $from(x[4 * g + t]);
                        to[2 * t + 1] = $from(y[4 * g + t]);
                    }
                }
            }
        }

        fn $put(regs: &mut Regs, mma: &Mma, d: &[$ty]) {
            for (pair, slots) in mma.d.as_chunks::<2>().0.iter().enumerate() {
                let (row, column) = corner(pair);
                for (i, slot) in slots.iter().enumerate() {
                    let to = regs.r32_mut(*slot);
                    for g in 0..8 {
                        let from = &d[(row + g) * mma.n + column..][..8];
                        for t in 0..4 {
                            to[4 * g + t] = $to(from[2 * t + i]);
                        }
                    }
                }
            }
        }
    };
}

words!(get_i32, put_i32, i32, |v: u32| v as i32, |v: i32| v as u32);
words!(get_words, put_words, f32, f32::from_bits, f32::to_bits);

fn get_f32(regs: &Regs, mma: &Mma, accumulate: bool, d: &mut Vec<f32>) {
    if mma.accumulator != Accumulator::F16 || !accumulate {
        return get_words(regs, mma, accumulate, d);
    }
    d.clear();
    d.resize(ROWS * mma.n, 0.0);
    for (pair, slot) in mma.d.iter().enumerate() {
        let (row, column) = corner(pair);
        let values = regs.r32(*slot);
        for g in 0..8 {
            let codes: [u16; 8] = std::array::from_fn(|i| (values[4 * g + i / 2] >> (16 * (i & 1))) as u16);
            slices::decode_f16(&codes, &mut d[(row + g) * mma.n + column..][..8]);
        }
    }
}

fn put_f32(regs: &mut Regs, mma: &Mma, d: &mut [f32]) {
    if mma.accumulator != Accumulator::F16 {
        slices::canonical_f32(d);
        return put_words(regs, mma, d);
    }
    for (pair, slot) in mma.d.iter().enumerate() {
        let (row, column) = corner(pair);
        let to = regs.r32_mut(*slot);
        for g in 0..8 {
            let mut codes = [0; 8];
            slices::encode_f16(&d[(row + g) * mma.n + column..][..8], &mut codes);
            for t in 0..4 {
                to[4 * g + t] = u32::from(codes[2 * t]) | u32::from(codes[2 * t + 1]) << 16;
            }
        }
    }
}
