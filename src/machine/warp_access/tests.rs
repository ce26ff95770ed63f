//! Whole warps against lanes one by one; what is found; how long it takes.

use super::*;
use crate::finding::{Code, Place};
use crate::global::GlobalState;
use crate::hardware::{AgentId, BlockLaunch, Config};
use crate::memory::{Global, RESERVED};
use std::sync::Arc;

const BASE: u64 = RESERVED as u64;

fn hardware(races: bool) -> Hardware {
    let mut memory = Global::new();
    memory.allocate("x", 4096);
    let config = Config { races, ..Config::default() };
    let block = || BlockLaunch { ctaid: [0; 3], shared_bytes: 4096, agents: vec![u32::MAX; 2] };
    Hardware::new(config, Arc::new(GlobalState::new(memory)), 0, vec![block(), block()])
}

fn actor(agent: u32, lanes: u32, place: u32) -> Actor {
    Actor { agent: AgentId(agent), lanes, place: Place(place) }
}

fn adjacent(base: u64, width: u64) -> [u64; 32] {
    std::array::from_fn(|lane| base + lane as u64 * width)
}

#[test]
fn groups_of_addresses() {
    let g = Groups::new(&adjacent(64, 4), u32::MAX, 4, None, true);
    assert_eq!(g.list[..g.len], [Group { address: 64, count: 32, lanes: 1 }]);
    let g = Groups::new(&adjacent(64, 4), 0xf0, 4, None, true);
    assert_eq!(g.list[..g.len], [Group { address: 80, count: 4, lanes: 0x10 }]);
    let g = Groups::new(&[8; 32], 0xf0f0, 4, None, true);
    assert_eq!(g.list[..g.len], [Group { address: 8, count: 1, lanes: 0xf0f0 }]);
    let twice: [u64; 32] = std::array::from_fn(|lane| lane as u64 % 16 * 4);
    let g = Groups::new(&twice, u32::MAX, 4, None, true);
    assert_eq!(g.list[..g.len], [Group { address: 0, count: 16, lanes: 0x1_0001 }]);
    assert_eq!(g.list[0].all(), u32::MAX);
    let fours: [u64; 32] = std::array::from_fn(|lane| lane as u64 / 4 * 8);
    let g = Groups::new(&fours, u32::MAX, 8, Some(&[0; 256]), true);
    let wanted: Vec<_> = (0..8).map(|i| Group { address: i * 8, count: 1, lanes: 0xf << (4 * i) }).collect();
    assert_eq!(g.list[..g.len], wanted);
    let gaps = Groups::new(&adjacent(0, 4), 0b1101, 4, None, true);
    assert_eq!(
        gaps.list[..gaps.len],
        [Group { address: 0, count: 1, lanes: 1 }, Group { address: 8, count: 2, lanes: 4 }]
    );
}

#[test]
fn bytes_come_back() {
    for races in [false, true] {
        for memory in [Memory::Shared, Memory::Global] {
            let mut hw = hardware(races);
            let base = match memory {
                Memory::Shared => BASE,
                Memory::Global => hw.global.memory.allocations()[0].base,
            };
            for width in [1u32, 2, 4, 8, 16, 32] {
                let data: Vec<u8> = (0..32 * width).map(|i| (i * 7 + width) as u8).collect();
                let shuffled: [u64; 32] =
                    std::array::from_fn(|lane| base + (lane as u64 * 5 % 32) * u64::from(width));
                hw.store_lanes(actor(0, u32::MAX, 1), memory, &shuffled, width, Nature::Generic, &data)
                    .unwrap();
                let mut back = vec![0; data.len()];
                hw.load_lanes(actor(0, u32::MAX, 1), memory, &shuffled, width, Nature::Generic, &mut back)
                    .unwrap();
                assert_eq!(back, data);
                // In memory, lane 5 * k stored element k.
                let straight = adjacent(base, u64::from(width));
                let mut flat = vec![0; data.len()];
                hw.sync_lanes(actor(0, u32::MAX, 1));
                hw.load_lanes(actor(0, u32::MAX, 1), memory, &straight, width, Nature::Generic, &mut flat)
                    .unwrap();
                let w = width as usize;
                for lane in 0..32 {
                    let to = lane * 5 % 32 * w;
                    assert_eq!(flat[to..to + w], data[lane * w..lane * w + w]);
                }
                hw.sync_lanes(actor(0, u32::MAX, 1));
            }
            assert!(hw.findings.is_empty(), "{:?}", hw.findings);
        }
    }
}

#[test]
fn a_lane_does_not_see_its_neighbours_element() {
    let mut hw = hardware(true);
    let at = adjacent(BASE, 4);
    let mut out = [0; 128];
    hw.store_lanes(actor(0, u32::MAX, 1), Memory::Shared, &at, 4, Nature::Generic, &[1; 128]).unwrap();
    hw.load_lanes(actor(0, u32::MAX, 2), Memory::Shared, &at, 4, Nature::Generic, &mut out).unwrap();
    assert!(hw.findings.is_empty());
    let turned: [u64; 32] = std::array::from_fn(|lane| BASE + (lane as u64 + 1) % 32 * 4);
    hw.load_lanes(actor(0, u32::MAX, 3), Memory::Shared, &turned, 4, Nature::Generic, &mut out).unwrap();
    assert_eq!(hw.findings[0].code, Code::Race);
    assert!(hw.findings[0].message.contains("lane 0 of warp 0"), "{}", hw.findings[0].message);
    assert!(hw.findings[0].message.contains("lane 1 of warp 0"), "{}", hw.findings[0].message);
}

#[test]
fn storing_the_same_twice_is_no_race_and_another_value_is() {
    let mut hw = hardware(true);
    let at: [u64; 32] = std::array::from_fn(|lane| BASE + lane as u64 % 16 * 4);
    hw.store_lanes(actor(0, u32::MAX, 1), Memory::Shared, &at, 4, Nature::Generic, &[1; 128]).unwrap();
    hw.store_lanes(actor(0, u32::MAX, 2), Memory::Shared, &[BASE; 32], 4, Nature::Generic, &[2; 128])
        .unwrap();
    // The second store overwrites elements of other lanes: those are not ordered by themselves.
    assert_eq!(hw.findings.len(), 1);
    let mut hw = hardware(true);
    let data: [u8; 128] = std::array::from_fn(|i| i as u8 / 64);
    hw.store_lanes(actor(0, u32::MAX, 1), Memory::Shared, &at, 4, Nature::Generic, &data).unwrap();
    assert_eq!(hw.findings[0].code, Code::Race);
}

#[test]
fn faults_name_the_lane() {
    let mut hw = hardware(true);
    let mut out = [0; 128];
    let mut at = adjacent(BASE, 4);
    at[9] += 2;
    hw.store_lanes(actor(0, !(1 << 9), 1), Memory::Shared, &adjacent(BASE, 4), 4, Nature::Generic, &[0; 128])
        .unwrap();
    assert!(hw.load_lanes(actor(0, u32::MAX, 1), Memory::Shared, &at, 4, Nature::Generic, &mut out).is_err());
    let last = hw.findings.last().unwrap();
    assert_eq!(last.code, Code::Misaligned);
    assert!(last.message.contains("lane 9 of warp 0"), "{}", last.message);
    let end = hw.global.memory.allocations()[0].base + 4096 - 64;
    let at = adjacent(end, 4);
    let e = hw.store_lanes(actor(0, u32::MAX, 2), Memory::Global, &at, 4, Nature::Generic, &out);
    assert!(e.is_err());
    let last = hw.findings.last().unwrap();
    assert_eq!(last.code, Code::OutOfBounds);
    assert!(last.message.contains("lane 16 of warp 0"), "{}", last.message);
    hw.load_lanes(actor(0, u32::MAX, 3), Memory::Shared, &adjacent(BASE, 4), 4, Nature::Generic, &mut out)
        .unwrap();
    let last = hw.findings.last().unwrap();
    assert_eq!(last.code, Code::Uninitialised);
    assert!(last.message.contains("byte 1060"), "{}", last.message);
}

#[test]
fn all_lanes_read_what_one_wrote_only_behind_a_barrier() {
    let mut hw = hardware(true);
    let mut out = [0; 128];
    hw.store_lanes(actor(0, 1, 1), Memory::Shared, &[BASE; 32], 4, Nature::Generic, &[1; 128]).unwrap();
    hw.sync_lanes(actor(0, u32::MAX, 2));
    hw.load_lanes(actor(0, u32::MAX, 3), Memory::Shared, &[BASE; 32], 4, Nature::Generic, &mut out).unwrap();
    assert!(hw.findings.is_empty());
    hw.sync_lanes(actor(0, u32::MAX, 2));
    hw.store_lanes(actor(0, 1, 4), Memory::Shared, &[BASE; 32], 4, Nature::Generic, &[1; 128]).unwrap();
    hw.load_lanes(actor(0, u32::MAX, 5), Memory::Shared, &[BASE; 32], 4, Nature::Generic, &mut out).unwrap();
    assert_eq!(hw.findings.len(), 1);
}

#[test]
fn warps_race_with_each_other_and_barriers_order_them() {
    let mut hw = hardware(true);
    let at = adjacent(BASE, 4);
    let mut out = [0; 128];
    hw.store_lanes(actor(0, u32::MAX, 1), Memory::Shared, &at, 4, Nature::Generic, &[1; 128]).unwrap();
    hw.load_lanes(actor(1, u32::MAX, 2), Memory::Shared, &at, 4, Nature::Generic, &mut out).unwrap();
    assert_eq!(hw.findings.len(), 1);
    assert!(hw.findings[0].message.contains("warp 1"), "{}", hw.findings[0].message);
}

#[test]
#[ignore = "a measurement: cargo test --release -p tidegate-machine whole_warps -- --ignored --nocapture"]
fn time_of_whole_warps() {
    use std::io::Write;
    for (memory, name) in [(Memory::Shared, "shared"), (Memory::Global, "global")] {
        for races in [false, true] {
            for width in [2u32, 4, 16] {
                let mut hw = hardware(races);
                let base = match memory {
                    Memory::Shared => BASE,
                    Memory::Global => hw.global.memory.allocations()[0].base,
                };
                let at = adjacent(base, u64::from(width));
                let mut data = vec![1; 32 * width as usize];
                let n = 200_000u32;
                let start = std::time::Instant::now();
                for _ in 0..n {
                    hw.store_lanes(actor(0, u32::MAX, 1), memory, &at, width, Nature::Generic, &data)
                        .unwrap();
                }
                let stores = start.elapsed() / n;
                let start = std::time::Instant::now();
                for _ in 0..n {
                    hw.load_lanes(actor(0, u32::MAX, 1), memory, &at, width, Nature::Generic, &mut data)
                        .unwrap();
                }
                let loads = start.elapsed() / n;
                assert!(hw.findings.is_empty());
                let line = format!("{name} races={races} width={width}: store {stores:?}, load {loads:?}\n");
                std::io::stderr().write_all(line.as_bytes()).unwrap();
            }
        }
    }
}

#[test]
fn warps_that_store_the_same_at_one_instruction_do_not_race() {
    // Place and value of the second warp's store; whether it races.
    for (place, value, races) in [(1, 1, false), (1, 2, true), (2, 1, true)] {
        for memory in [Memory::Shared, Memory::Global] {
            let mut hw = hardware(true);
            let base = match memory {
                Memory::Shared => BASE,
                Memory::Global => hw.global.memory.allocations()[0].base,
            };
            hw.store_lanes(actor(0, u32::MAX, 1), memory, &[base; 32], 4, Nature::Generic, &[1; 128])
                .unwrap();
            // All lanes at once, and one that has come apart.
            for lanes in [u32::MAX, 4] {
                let who = actor(1, lanes, place);
                hw.store_lanes(who, memory, &[base; 32], 4, Nature::Generic, &[value; 128]).unwrap();
            }
            assert_eq!(!hw.findings.is_empty(), races, "{place} {value}: {:?}", hw.findings);
            // A read that nothing orders after them is a race in any case.
            hw.findings.clear();
            hw.load_lanes(actor(1, 1, 3), memory, &[base; 32], 4, Nature::Generic, &mut [0; 128]).unwrap();
            assert!(!hw.findings.is_empty());
        }
    }
}
