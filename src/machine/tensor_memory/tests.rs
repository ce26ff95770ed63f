//! Tests of tensor memory on the hardware, without a program.

use super::*;
use crate::barrier::Phase;
use crate::engine::OpId;
use crate::global::GlobalState;
use crate::hardware::{BlockLaunch, Config};
use crate::matrix::Kind;
use crate::memory::{RESERVED, shared_address};
use crate::schedule::Choice;
use std::sync::Arc;

fn hardware(blocks: u32) -> Hardware {
    let launch = |x| BlockLaunch { ctaid: [x, 0, 0], shared_bytes: 65536, agents: vec![u32::MAX; 4] };
    Hardware::new(Config::default(), Arc::new(GlobalState::default()), 0, (0..blocks).map(launch).collect())
}

fn warp(agent: u32) -> Actor {
    Actor { agent: AgentId(agent), lanes: u32::MAX, place: Place(agent) }
}

fn thread(agent: u32) -> Actor {
    Actor { lanes: 1, ..warp(agent) }
}

/// Lets everything asynchronous happen.
fn drain(hw: &mut Hardware) {
    loop {
        let mut choices = Vec::new();
        hw.engine.choices(&mut choices);
        match choices.first() {
            None => return,
            Some(&Choice::Effect(id)) => run(hw, id),
            Some(&Choice::Complete(id)) => hw.complete(id).unwrap(),
            Some(Choice::Agent(_)) => {}
        }
    }
}

fn run(hw: &mut Hardware, id: OpId) {
    if let Some(Effect::Run(f)) = hw.take_effect(id) {
        hw.run_effect(id, f).unwrap_or_else(|_| panic!("{:?}", hw.findings));
    }
}

/// K-major without swizzle: 8 rows of 16 bytes a group, groups of rows 128 bytes apart, chunks of K one after the other.
fn descriptor(start: u32, rows: u32) -> u64 {
    u64::from(start / 16) | u64::from(rows * 16 / 16) << 16 | (128 / 16) << 32
}

/// Writes a K-major operand of this many bytes a row as [`descriptor`] says.
fn put(hw: &mut Hardware, rank: usize, start: u32, rows: u32, row_bytes: u32, byte: impl Fn(u32, u32) -> u8) {
    for row in 0..rows {
        for b in 0..row_bytes {
            let at = start + (row % 8) * 16 + row / 8 * 128 + b / 16 * rows * 16 + b % 16;
            hw.blocks[rank].shared.get_mut(at, 1).unwrap()[0] = byte(row, b);
        }
    }
}

fn f16_byte(value: f32, b: u32) -> u8 {
    half::f16::from_f32(value).to_le_bytes()[(b % 2) as usize]
}

fn whole(a: u32, b: u32) -> f32 {
    ((a * 7 + b * 5) % 9) as f32 - 4.0
}

fn instruction(d: u32, a: u32, b: u32, m: u32, n: u32) -> u32 {
    d << 4 | a << 7 | b << 10 | (n / 8) << 17 | (m / 16) << 24
}

fn mma(cta_group: u32, kind: Kind, m: u32, n: u32, rows: (u32, u32)) -> Mma {
    let (d, a) = match kind {
        Kind::I8 => (2, 1),
        Kind::F8f6f4 => (1, 0),
        _ => (1, 0),
    };
    Mma {
        cta_group,
        kind,
        d: 0,
        a: AOperand::Shared(descriptor(RESERVED, rows.0)),
        b: descriptor(RESERVED + 16384, rows.1),
        descriptor: instruction(d, a, a, m, n),
        accumulate: false,
        scale_d: 0,
        disabled: [0; 8],
        scaling: None,
    }
}

const A: u32 = RESERVED;
const B: u32 = RESERVED + 16384;

#[test]
fn one_block_multiplies_and_accumulates() {
    for (m, n) in [(128, 32), (64, 24)] {
        let mut hw = hardware(1);
        assert_eq!(hw.tensor_alloc(warp(0), 1, 32), Ok(Some(0)));
        put(&mut hw, 0, A, m, 32, |r, b| f16_byte(whole(r, b / 2), b));
        put(&mut hw, 0, B, n, 32, |r, b| f16_byte(whole(r, 3 * (b / 2)), b));
        let first = mma(1, Kind::F16, m, n, (m, n));
        hw.tensor_mma(thread(0), first).unwrap();
        // Twice the product and a half of it (2 to the minus 1), but lane 5 stays as it was.
        let mut disabled = [0; 8];
        disabled[0] = 1 << 5;
        hw.tensor_mma(thread(0), Mma { accumulate: true, scale_d: 1, disabled, ..first }).unwrap();
        drain(&mut hw);
        let t = hw.tensor(0).unwrap();
        for row in 0..m {
            for column in 0..n {
                let product: f32 = (0..16).map(|k| whole(row, k) * whole(column, 3 * k)).sum();
                let want = if row == 5 { product } else { product * 1.5 };
                let lane = if m == 64 { row / 16 * 32 + row % 16 } else { row };
                assert_eq!(f32::from_bits(t.row(lane, column, 1)[0]), want, "{row} {column}");
            }
        }
        assert!(hw.findings.is_empty(), "{:?}", hw.findings);
    }
}

#[test]
fn a_pair_splits_rows_and_columns() {
    for (m, n) in [(256, 64), (128, 32)] {
        let mut hw = hardware(2);
        assert_eq!(hw.tensor_alloc(warp(0), 2, 64), Ok(None));
        assert!(!hw.tensor_ready(warp(0), 64));
        assert_eq!(hw.tensor_alloc(warp(4), 2, 64), Ok(Some(0)));
        assert!(hw.tensor_ready(warp(0), 64));
        assert_eq!(hw.tensor_alloc(warp(0), 2, 64), Ok(Some(0)));
        let (rows, columns) = (m / 2, n / 2);
        for rank in 0..2 {
            put(&mut hw, rank as usize, A, rows, 32, |r, b| f16_byte(whole(rank * rows + r, b / 2), b));
            put(&mut hw, rank as usize, B, columns, 32, |r, b| {
                f16_byte(whole(rank * columns + r, 2 * (b / 2)), b)
            });
        }
        hw.tensor_mma(thread(0), mma(2, Kind::F16, m, n, (rows, columns))).unwrap();
        drain(&mut hw);
        for row in 0..m {
            for column in 0..n {
                let want: f32 = (0..16).map(|k| whole(row, k) * whole(column, 2 * k)).sum();
                let (lane, at) = match m {
                    256 => (row % 128, column),
                    _ => (row % 64 + 64 * (column / 16), column % 16),
                };
                let t = hw.tensor(row / rows).unwrap();
                assert_eq!(f32::from_bits(t.row(lane, at, 1)[0]), want, "{row} {column}");
            }
        }
        assert!(hw.findings.is_empty(), "{:?}", hw.findings);
    }
}

#[test]
fn integers_and_eight_bits() {
    let mut hw = hardware(1);
    hw.tensor_alloc(warp(0), 1, 32).unwrap();
    put(&mut hw, 0, A, 128, 32, |r, b| (whole(r, b) as i8) as u8);
    put(&mut hw, 0, B, 16, 32, |r, b| (whole(r, 2 * b) as i8) as u8);
    hw.tensor_mma(thread(0), mma(1, Kind::I8, 128, 16, (128, 16))).unwrap();
    drain(&mut hw);
    let sum = |r, c| (0..32).map(|k| whole(r, k) * whole(c, 2 * k)).sum::<f32>();
    assert_eq!(hw.tensor(0).unwrap().row(77, 9, 1)[0] as i32, sum(77, 9) as i32);
    // E4M3: 0x38 is 1, 0x40 is 2, 0xb8 is -1.
    let code = |v: u32| [0x38, 0x40, 0xb8][(v % 3) as usize];
    let value = |v: u32| [1.0, 2.0, -1.0][(v % 3) as usize];
    put(&mut hw, 0, A, 128, 32, |r, b| code(r + b));
    put(&mut hw, 0, B, 16, 32, |r, b| code(r * 2 + b * b));
    hw.tensor_mma(thread(0), mma(1, Kind::F8f6f4, 128, 16, (128, 16))).unwrap();
    drain(&mut hw);
    let want: f32 = (0..32).map(|k| value(77 + k) * value(18 + k * k)).sum();
    assert_eq!(f32::from_bits(hw.tensor(0).unwrap().row(77, 9, 1)[0]), want);
}

#[test]
fn a_in_tensor_memory_and_scale_factors() {
    let mut hw = hardware(1);
    hw.tensor_alloc(warp(0), 1, 64).unwrap();
    put(&mut hw, 0, B, 16, 32, |r, b| f16_byte(whole(r, b / 2), b));
    for lane in 0..128 {
        for column in 0..8 {
            let [low, high] = [0, 1].map(|i| half::f16::from_f32(whole(lane, 2 * column + i)).to_bits());
            hw.tensor(0).unwrap().row_mut(lane, 32 + column, 1)[0] = u32::from(low) | u32::from(high) << 16;
        }
    }
    let with = Mma { a: AOperand::Tensor(32), ..mma(1, Kind::F16, 128, 16, (0, 16)) };
    hw.tensor_mma(thread(0), with).unwrap();
    drain(&mut hw);
    let want: f32 = (0..16).map(|k| whole(100, k) * whole(3, k)).sum();
    assert_eq!(f32::from_bits(hw.tensor(0).unwrap().row(100, 3, 1)[0]), want);
    // mxf8f6f4 of ones: 32 times the scale factors, powers of two. Byte 1 of A's, byte 0 of B's; copied by tcgen05.cp.
    put(&mut hw, 0, A, 128, 32, |_, _| 0x38);
    put(&mut hw, 0, B, 16, 32, |_, _| 0x38);
    // Rows of 16 bytes: factors of row r + 32 c at bytes 4 c.
    put(&mut hw, 0, RESERVED + 32768, 32, 16, |r, b| {
        if b % 4 == 1 { 127 + (r % 3) as u8 + (b / 4) as u8 } else { 125 }
    });
    let copy =
        |to| Copy { cta_group: 1, shape: CopyShape::S32x128b, to, from: descriptor(RESERVED + 32768, 32) };
    hw.tensor_copy(thread(0), copy(40)).unwrap();
    hw.tensor_copy(thread(0), copy(48)).unwrap();
    let bits = instruction(0, 0, 0, 128, 16) | 1 << 23 | 1 << 29;
    let scaled = Mma {
        descriptor: bits,
        scaling: Some(Scaling { a: 40, b: 48, block: 32 }),
        ..mma(1, Kind::MxF8f6f4, 128, 16, (128, 16))
    };
    hw.tensor_mma(thread(0), scaled).unwrap();
    drain(&mut hw);
    // Row 100 is lane 4, column 3: 2^(1 + 3); B's factor is 2^-2.
    assert_eq!(f32::from_bits(hw.tensor(0).unwrap().row(100, 3, 1)[0]), 32.0 * 16.0 / 4.0);
    let t = hw.tensor(0).unwrap();
    assert_eq!(t.row(35, 40, 1), t.row(3, 40, 1));
    assert!(hw.findings.is_empty(), "{:?}", hw.findings);
}

/// The findings' codes.
fn codes(hw: &Hardware) -> Vec<Code> {
    hw.findings.iter().map(|f| f.code).collect()
}

fn window(address: u32) -> Window<'static> {
    Window { address, lanes: 32, columns: &[(0, 8)] }
}

#[test]
fn a_commit_orders_what_was_issued() {
    for wait in [true, false] {
        let mut hw = hardware(1);
        hw.tensor_alloc(warp(0), 1, 32).unwrap();
        put(&mut hw, 0, A, 128, 32, |_, _| 0);
        put(&mut hw, 0, B, 16, 32, |_, _| 0);
        let barrier = shared_address(0, RESERVED + 65000);
        hw.mbarrier_init(thread(0), barrier, 1).unwrap();
        let known = hw.agents[0].order.issue(1);
        hw.agents[1].order.acquire(u32::MAX, &known);
        hw.tensor_mma(thread(0), mma(1, Kind::F16, 128, 16, (128, 16))).unwrap();
        hw.tensor_commit(thread(0), 1, &[barrier]).unwrap();
        drain(&mut hw);
        if wait {
            assert_eq!(hw.mbarrier_test(warp(1), barrier, Phase::Parity(0), true), Ok(None));
        }
        hw.tensor_access(warp(1), window(32 << 16), false).unwrap();
        assert_eq!(codes(&hw), if wait { vec![] } else { vec![Code::Race] });
    }
}

#[test]
fn loads_are_done_when_waited_for() {
    for wait in [true, false] {
        let mut hw = hardware(1);
        hw.tensor_alloc(warp(0), 1, 32).unwrap();
        hw.tensor_access(warp(0), window(0), true).unwrap().0.row_mut(0, 0, 1);
        if wait {
            hw.tensor_wait(warp(0), true);
        }
        for lane in 0..32 {
            hw.tensor(0).unwrap().row_mut(lane, 0, 8).fill(1);
        }
        hw.tensor_access(warp(0), window(0), false).unwrap();
        assert_eq!(codes(&hw), if wait { vec![] } else { vec![Code::Race] });
        hw.tensor_dealloc(Actor { place: Place(9), ..warp(0) }, 1, 0, 32).unwrap();
        assert_eq!(codes(&hw).len(), if wait { 1 } else { 2 }, "the load is in flight: {:?}", hw.findings);
    }
}

#[test]
fn columns_are_given_and_given_back() {
    let mut hw = hardware(1);
    assert_eq!(hw.tensor_alloc(warp(0), 1, 256), Ok(Some(0)));
    assert_eq!(hw.tensor_alloc(warp(0), 1, 128), Ok(Some(256)));
    assert_eq!(hw.tensor_alloc(warp(1), 1, 256), Ok(None));
    assert!(!hw.tensor_ready(warp(1), 256));
    hw.tensor_dealloc(warp(0), 1, 0, 256).unwrap();
    assert!(hw.tensor_ready(warp(1), 256));
    assert_eq!(hw.tensor_alloc(warp(1), 1, 256), Ok(Some(0)));
    assert!(hw.findings.is_empty(), "{:?}", hw.findings);
    assert!(hw.tensor_dealloc(warp(1), 1, 0, 128).is_err());
    assert!(hw.tensor_alloc(warp(1), 1, 48).is_err());
    assert!(hw.tensor_access(warp(0), window(384), true).is_err());
    assert!(hw.tensor_access(warp(0), window(505), true).is_err());
    assert!(hw.tensor_access(warp(0), window(32 << 16), true).is_err());
    assert!(hw.tensor_relinquish(warp(0), 2).is_err());
    hw.tensor_relinquish(warp(0), 1).unwrap();
    assert!(hw.tensor_alloc(warp(0), 1, 32).is_err());
    assert!(
        codes(&hw).iter().all(|&c| c == Code::TensorMemory || c == Code::OutOfBounds),
        "{:?}",
        hw.findings
    );
    (0..4).for_each(|a| hw.exit(warp(a)).unwrap());
    assert!(
        hw.findings
            .last()
            .unwrap()
            .message
            .contains("ends with tensor memory allocated: 128 columns from 256")
    );
}

#[test]
fn pairs_that_disagree() {
    let mut hw = hardware(2);
    assert_eq!(hw.tensor_alloc(warp(0), 2, 64), Ok(None));
    assert!(hw.tensor_alloc(warp(4), 2, 128).is_err());
    let mut hw = hardware(1);
    assert!(hw.tensor_alloc(warp(0), 2, 64).is_err());
    let bad = Mma { descriptor: 0, ..mma(1, Kind::F16, 128, 16, (128, 16)) };
    let mut hw = hardware(1);
    assert!(hw.tensor_mma(thread(0), bad).is_err());
    assert_eq!(codes(&hw), [Code::Descriptor]);
}
