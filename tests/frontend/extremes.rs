//! No number and no order of calls makes the front end panic.

use tidegate::frontend::*;
use tidegate::ir::diag::Diagnostics;
use tidegate::ir::text::{PrintOptions, parse, print};

const NUMBERS: [i64; 12] =
    [i64::MIN, i64::MIN + 1, -129, -1, 0, 1, 2, 64, 128, 1 << 20, i64::MAX - 1, i64::MAX];

fn specs(a: i64, b: i64) -> Vec<Spec> {
    vec![
        Barrier::new().num_arrivals(a).num_barriers(b).into(),
        Barrier::new().num_barriers([a, b]).into(),
        ClusterBarrier::new("c").num_arrivals(b).num_barriers([b, a]).into(),
        Smem::new([a, b], F32).tile([b, a]).swizzle(u32::try_from(a).unwrap_or(7)).into(),
        Smem::new([b], DType::Int(u32::try_from(a).unwrap_or(u32::MAX))).into(),
        Gmem::new([a, b], F64).strides([b, a]).into(),
        Tmem::new([128, a], F32).into(),
        Tmem::new([b, a], F16).packed(true).into(),
        Acc::new([a, b], F32).into(),
        Semaphore::new().num_semaphores([a, b]).into(),
        RefUnion::new([Smem::new([a], F32).into(), Smem::new([b], F16).into()]).into(),
    ]
}

#[test]
fn specs_of_any_numbers() {
    for a in NUMBERS {
        for b in NUMBERS {
            for spec in specs(a, b) {
                if let Err(error) = spec.ref_aval() {
                    assert!(!error.to_string().is_empty());
                }
                if let Err(error) = spec.array_aval() {
                    assert!(!error.to_string().is_empty());
                }
                let _ = RefUnion::new([spec]).ref_aval();
            }
            for dim in [
                BlockDim::Blocked(a),
                BlockDim::Element { size: a, padding: (b, a) },
                BlockDim::BoundedSlice(a),
            ] {
                let spec =
                    BlockSpec::new([dim, b.into()]).pipeline_mode(PipelineMode::Buffered(a)).delay_release(b);
                if let Ok(window) = spec.window(&ShapedArray::new([b, a], F32)) {
                    let _ = window.ring().ref_aval();
                }
            }
        }
    }
}

#[test]
fn kernels_of_any_numbers() {
    for a in NUMBERS {
        for b in NUMBERS {
            let k = KernelBuilder::new("k").grid([("g", a)]).cluster([("c", b)]).threads("wg", a);
            let x = k.input("x", [64, 128], F32);
            let buf = k.scratch(Smem::new([64, 128], F32));
            let full = k.scratch(Barrier::new().num_barriers([2, 2]));
            for spec in specs(a, b) {
                let _ = k.scratch_dyn(&spec);
                k.parameter("p", &spec, Direction::Out);
            }
            let g = k.axis_index("g");
            let _ = (g + a) * b / a % b - a;
            let folded = (Idx::from(a) + b) * a / b % a - b;
            k.assert(folded.lt(g), "no");
            let part = k.load(buf.at((a, b)).sized([b]));
            k.store(part * a, buf.at((b, a)));
            k.store(b, x.at([a]));
            let _ = part.reshape([a, b]).broadcast_to([b, a]).transpose([1, 0]).reduce_sum([0, 7]);
            let _ = k.full([a], b, I8) + k.full([b], 1.5, DType::Int(64));
            k.copy_gmem_to_smem(x.at((a, b)), buf.at(a).sized([b, a]), full.at((a, b)));
            k.copy_smem_to_gmem(buf.at((b, a)).sized([1]), x.at([a, b]).sized([b]));
            let _ = k.slice(buf.at((a, b)).sized([b]));
            let _ = k.block(x, &BlockSpec::new([a, b]), (a, b));
            k.barrier_arrive_many(full.at([a, b]).peer(a), b);
            k.barrier_expect_tx(full.at((b, a)), a);
            k.set_max_registers(a, Registers::Decrease);
            k.wait_smem_to_gmem(b);
            k.for_range(a, b, b, |b, i| b.store(0, x.at(i)));
            k.warp_specialize(|ws| ws.role(Role::new("r").warps(a).registers(b).threads("t", a), |_| {}));
            if let Err(errors) = k.finish() {
                assert!(!errors.to_string().is_empty());
            }
        }
    }
}

#[test]
fn calls_in_any_order() {
    // A kernel from a seed: each step does something that may or may not be allowed where it stands.
    fn step(
        b: &Body,
        k: &KernelBuilder,
        random: &mut fastrand::Rng,
        depth: u32,
        seen: &mut Vec<(Idx, Array)>,
    ) {
        for _ in 0..random.u32(1..6) {
            let (i, v) = match seen.len() {
                0 => (Idx::from(1), b.zeros([64], F32)),
                len => seen[random.usize(0..len)],
            };
            match random.u32(0..12) {
                0 if depth > 0 => b.for_range(0, i, 1, |b, i| {
                    seen.push((i, v));
                    step(b, k, random, depth - 1, seen);
                }),
                1 if depth > 0 => b.when(i.lt(3), |b| step(b, k, random, depth - 1, seen)),
                2 if depth > 0 => b.warp_specialize(|ws| {
                    ws.role("a", |b| step(b, k, random, depth - 1, seen));
                    step(k, k, random, depth - 1, seen);
                }),
                3 => {
                    let w = b.if_else(i.eq(0), |_| v, |b| b.zeros([64], F32) + v);
                    seen.push((i * 2, w));
                }
                4 => {
                    let w = b.for_carry(0, 4, 1, (v, i), |_, j, (v, i)| (v * 2.0, i + j));
                    seen.push((w.1, w.0));
                }
                5 => {
                    k.input(&format!("x{}", random.u32(0..9)), [64], F32);
                }
                6 => k.barrier_wait(k.scratch(Barrier::new())),
                7 => seen.push((k.axis_index("g"), v.exp2())),
                8 => b.block_sync(),
                9 => b.store(v, k.scratch(Smem::new([64], F32))),
                10 => {
                    let i = b.while_loop(i, |_, i| i.gt(0), |_, i| i / 2);
                    seen.push((i, v.astype(F16).astype(F32)));
                }
                _ => b.barrier_arrive(k.scratch(Barrier::new()).peer(i)),
            }
        }
    }
    let mut fine = 0;
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let k = KernelBuilder::new("k").grid([("g", 4)]);
        step(&k, &k, &mut random, 3, &mut Vec::new());
        match k.finish() {
            Err(errors) => assert!(!errors.diagnostics.is_empty(), "seed {seed}"),
            Ok(module) => {
                fine += 1;
                let text = print(&module, PrintOptions::default());
                let (read, outcome) = parse("k.mlir", &text, &mut Diagnostics::new());
                assert!(outcome.is_ok(), "seed {seed}: {text}");
                assert_eq!(print(&read, PrintOptions::default()), text, "seed {seed}");
            }
        }
    }
    assert!(fine > 20, "{fine} of 400 kernels are well-formed");
}
