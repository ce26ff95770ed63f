//! What the builder makes.

use tidegate::frontend::*;
use tidegate::ir::Module;
use tidegate::ir::loc::LocKind;
use tidegate::ir::text::{PrintOptions, print};

/// Builds a kernel with `x: f32[2, 128]` and compares what stands in its body, without the declarations.
#[track_caller]
fn makes(build: impl FnOnce(&KernelBuilder), expected: &[&str]) {
    let k = KernelBuilder::new("k").grid([("g", 4)]).cluster([("c", 2)]);
    build(&k);
    let module = k.finish().unwrap_or_else(|errors| panic!("{errors}"));
    let text = text(&module);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for &line in expected {
        assert!(lines.contains(&line), "`{line}` is not in\n{text}");
    }
}

fn text(module: &Module) -> String {
    print(module, PrintOptions::default())
}

#[test]
fn numbers_known_now_are_computed_at_once() {
    assert_eq!((Idx::from(7) % 4 * 10 - 1 + 5 / Idx::from(2)).known(), Some(31));
    assert_eq!(Idx::from(3).max(5).min(4).known(), Some(4));
    assert_eq!((Idx::from(i64::MAX) + 1).known(), Some(i64::MIN), "as on the device");
    assert_eq!((Idx::from(1) / 0).known(), None);
}

#[test]
fn index_expressions_take_numbers_on_either_side() {
    makes(
        |k| {
            let g = k.axis_index("g");
            let last = (2 * (g % 4) + 1 - g / 3).named("last");
            k.assert(last.le(7) & last.ne(5), "in range");
        },
        &[
            "%0 = arith.remui %g, %c4 : index",
            "%1 = arith.muli %c2, %0 : index",
            "%3 = arith.divui %g, %c3 : index",
            "%4 = arith.cmpi sle, %last, %c7 : index",
            "%6 = arith.andi %4, %5 : i1",
        ],
    );
}

#[test]
fn constants_are_made_once_and_before_all_else() {
    let k = KernelBuilder::new("k").grid([("g", 4)]);
    let g = k.axis_index("g");
    k.for_range(0, 4, 1, |b, i| b.assert((i * 4 + g * 4).lt(4), "no"));
    let text = text(&k.finish().unwrap());
    assert_eq!(text.matches("arith.constant 4 : index").count(), 1, "{text}");
    assert!(text.lines().nth(1).unwrap().contains("arith.constant"), "{text}");
}

#[test]
fn arrays_are_computed_element_by_element() {
    makes(
        |k| {
            let x = k.input("x", [2, 128], F32);
            let o = k.output("o", [2, 128], F32);
            let v = k.load(x);
            let w = -(v.exp2() * 2.0 + 1).rsqrt();
            let sums = w.reduce_max([1]).reshape([2, 1]).broadcast_to([2, 128]);
            let picked = v.gt(0).select(w, 0.0) / sums;
            k.store(picked.max(v.astype(BF16).astype(F32)), o);
        },
        &[
            "%1 = math.exp2 %0 : vector<2x128xf32>",
            "%2 = arith.constant dense<2.000000e+00> : vector<2x128xf32>",
            "%6 = math.rsqrt %5 : vector<2x128xf32>",
            "%7 = arith.negf %6 : vector<2x128xf32>",
            "%8 = arith.constant dense<0xFF800000> : vector<2xf32>",
            "%9 = vector.multi_reduction <maximumf>, %7, %8 [1] : vector<2x128xf32> to vector<2xf32>",
            "%10 = vector.shape_cast %9 : vector<2xf32> to vector<2x1xf32>",
            "%11 = vector.broadcast %10 : vector<2x1xf32> to vector<2x128xf32>",
        ],
    );
}

#[test]
fn numbers_and_arrays_go_together() {
    makes(
        |k| {
            let n = k.scalar_input("n", INDEX);
            let scale = k.scalar_input("scale", F32);
            let x = k.input("x", [DYN, 128], F32);
            let o = k.output("o", [128], F32);
            let rows = k.dim(x, 0).named("rows");
            k.assert(n.to_index().le(rows), "n rows");
            let row = k.load(x.at(n.to_index() - 1));
            k.store(scale * row.transpose([0]) + row.sum(), o);
            assert_eq!(k.dim(x, 1).known(), Some(128));
        },
        &[
            "tg.kernel @k(%n: index, %scale: f32, in %x: !tg.ref<?x128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) \
             grid [\"g\" = 4] cluster [\"c\" = 2] {",
            "%rows = tg.dim %x, 0 : !tg.ref<?x128xf32, gmem>",
        ],
    );
}

#[test]
fn loops_carry_and_branches_hand_on() {
    makes(
        |k| {
            let x = k.input("x", [4, 128], F32);
            let o = k.output("o", [128], F32);
            let g = k.axis_index("g");
            let (sum, last) = k.for_carry(0, 4, 1, (k.zeros([128], F32), Idx::from(0)), |b, i, (sum, _)| {
                (sum + b.load(x.at(i)), i)
            });
            let chosen = k.if_else(last.eq(g), |_| sum, |_| sum * 2.0);
            let [steps] = k.while_loop([g], |_, [i]| i.gt(0), |_, [i]| [i / 2]);
            k.when(steps.eq(0), |b| b.store(chosen, o));
        },
        &[
            "%1:2 = scf.for %arg0 = %c0 to %c4 step %c1 iter_args(%arg1 = %0, %arg2 = %c0) -> (vector<128xf32>, index) {",
            "scf.yield %3, %arg0 : vector<128xf32>, index",
            "%8 = scf.while (%arg3 = %g) : (index) -> index {",
            "%5 = scf.if %4 -> (vector<128xf32>) {",
        ],
    );
}

#[test]
fn barriers_copies_and_their_options() {
    makes(
        |k| {
            let x = k.input("x", [128, 64], F32);
            let a = k.scratch(Smem::new([2, 128, 64], F32)).named("a");
            let full = k.scratch(Barrier::new().num_barriers([2, 2])).named("full");
            let own = k.scratch_uninitialized(Barrier::new()).named("own");
            k.init_barrier(own);
            k.block_sync();
            let g = k.axis_index("g");
            k.barrier_arrive(full.at((g % 2, 1)).peer(k.axis_index("c")));
            k.barrier_arrive_many(full.at([0, 0]), 1);
            k.barrier_arrive_expect_tx(own, 32768);
            k.copy_gmem_to_smem_with(x, a.at(1), own, CopyOptions::new().raw().predicate(g.eq(0)));
            k.barrier_wait_parity(own, false);
            let done = k.barrier_test(own, true);
            k.debug_print("done {}", [done]);
            k.thread_sync();
            k.set_max_registers(240, Registers::Increase);
            k.copy_smem_to_gmem_with(a.at(0), x, CopyOptions::new().uncommitted());
            k.commit_group();
            k.wait_smem_to_gmem_read(0);
            k.inval_barrier(own);
        },
        &[
            "%own = tg.alloc_barrier uninitialized : !tg.barrier_ref<1, arrivals = 1>",
            "tg.barrier_arrive %full[%2, 1] peer(%c) : !tg.barrier_ref<2x2, arrivals = 1>",
            "tg.barrier_arrive_expect_tx %own bytes 32768 : !tg.barrier_ref<1, arrivals = 1>",
            "tg.set_max_registers 240 increase",
            "tg.wait_smem_to_gmem 0 read_only",
        ],
    );
}

#[test]
fn parts_of_arrays_are_views() {
    makes(
        |k| {
            let x = k.input("x", [4, 128], F32);
            let a = k.scratch(Smem::new([2, 128], F32)).named("a");
            let full = k.scratch(Barrier::new());
            let half = k.slice(a.at((1, 64)).sized([64])).named("half");
            let row = k.slice(a.at(k.axis_index("g") % 2)).named("row");
            k.copy_gmem_to_smem(x.at((0, 0)), half, full);
            k.barrier_wait(full);
            assert_eq!(row.shape(), [128]);
            k.store(1.0, row);
            k.store(k.load_scalar(a.at((0, 5))), a.at((0, 6)));
        },
        &[
            "%half = tg.subview %a[1, 64] [1, 64] : !tg.ref<2x128xf32, smem> to !tg.ref<1x64xf32, smem>",
            "%row = tg.at %a[%1] : !tg.ref<2x128xf32, smem> to !tg.ref<128xf32, smem>",
        ],
    );
}

#[test]
fn block_specs_say_where_blocks_are() {
    makes(
        |k| {
            let x = k.input("x", [16, 256], F32);
            let spec = BlockSpec::new([BlockDim::Squeezed, 64.into()])
                .index_map(|grid| vec![grid[0], grid[0] % 4])
                .pipeline_mode(PipelineMode::Buffered(2));
            let window = spec.window(&ShapedArray::new([16, 256], F32)).unwrap();
            let ring = k.scratch(window.ring()).named("ring");
            let full = k.scratch(Barrier::new()).named("full");
            k.copy_gmem_to_smem(k.block(x, &spec, k.axis_index("g")), ring.at(0), full);
            k.barrier_wait(full);
        },
        &[
            "%ring = tg.alloc : !tg.ref<2x64xf32, smem>",
            "%1 = arith.muli %0, %c64 : index",
            "tg.copy_gmem_to_smem %x[%g, %1] -> %ring[0], %full : !tg.ref<16x256xf32, gmem> -> !tg.ref<2x64xf32, smem>, \
             !tg.barrier_ref<1, arrivals = 1>",
        ],
    );
}

#[test]
fn roles_have_warps_registers_and_threads() {
    makes(
        |k| {
            let full = k.scratch(Barrier::new().num_arrivals(2)).named("full");
            k.warp_specialize(|ws| {
                ws.role(Role::new("loader").registers(40), |b| b.barrier_wait(full));
                ws.role(Role::new("compute").threads("wg", 2).registers(232), |b| {
                    b.assert(b.axis_index("wg").lt(2), "two of them");
                    b.barrier_arrive(full);
                });
            });
        },
        &["role @loader registers 40 {", "role @compute threads [\"wg\" = 2] registers 232 {"],
    );
}

#[test]
fn every_op_has_the_line_that_made_it() {
    let k = KernelBuilder::new("k");
    let x = k.input("x", [128], F32);
    let line = line!() + 1;
    let v = k.load(x) * 2.0;
    k.store(v, x.at(0));
    let module = k.finish().unwrap();
    let kernel = module.first_op(module.body()).unwrap();
    let mut lines = Vec::new();
    for op in module.block_ops(module.region_block(kernel, 0).unwrap()) {
        let LocKind::File { file, line, .. } = module.locs.kind(module.loc(op)) else { panic!("no place") };
        assert!(module.names.get(*file).ends_with("tests/frontend/builder.rs"));
        lines.push((module.op_name(op).to_owned(), *line));
    }
    assert_eq!(lines[0], ("tg.load".to_owned(), line));
    assert_eq!(lines[2], ("arith.mulf".to_owned(), line));
    assert_eq!(lines[3], ("tg.store".to_owned(), line + 1));
}
