//! The builders: kernels built with them come out as the same kernels written as text.
#![cfg(feature = "mlir")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::{fs, path::Path};

use melior::ir::{Location, Value};
use tidegate_passes::lower::{
    mlir::{
        MlirError, OpTag, Pipeline, Session, SourceLine, Stage,
        emit::{
            BarrierGroup, Comparison, Emitted, Emitter, FenceProxy, GepIndex, KernelAttributes, KernelModule,
            LoopForm, Parameter, Scope, Space, TmaLoad,
        },
    },
    target::{Chip, CodegenOptions},
};

fn options() -> CodegenOptions {
    CodegenOptions { line_tables: false, ..CodegenOptions::new(Chip::Sm90a) }
}

fn ptx(build: fn(&Session) -> Emitted<KernelModule<'_>>) -> String {
    let session = Session::new().unwrap();
    let mut module = build(&session).unwrap().finish();
    let ptx = Pipeline::new(&session, options()).emit(&mut module, Stage::Ptx);
    ptx.unwrap_or_else(|error| panic!("{error}"))
}

fn written(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nvgpu").join(name).with_extension("mlir");
    let session = Session::new().unwrap();
    let mut module = session.parse(&fs::read_to_string(path).unwrap()).unwrap();
    Pipeline::new(&session, options()).emit(&mut module, Stage::Ptx).unwrap()
}

/// The lane, and whether it is the one that acts for all.
fn lane<'c, 'a>(e: &Emitter<'c, 'a>, lanes: u32) -> Emitted<(Value<'c, 'a>, Value<'c, 'a>)> {
    let tid = e.special_register("tid.x", Some(lanes))?;
    Ok((tid, e.compare(Comparison::Equal, tid, e.i32(0)?)?))
}

fn multislot_ring(session: &Session) -> Emitted<KernelModule<'_>> {
    let location = Location::unknown(session.context());
    let kernels = KernelModule::new(session, location)?;
    let top = kernels.emitter("k", location)?;
    top.declare_dynamic_smem(128)?;
    let attributes = KernelAttributes { lanes: 128, ..Default::default() };
    let (e, parameters) =
        top.kernel("multislot_ring", &[Parameter::Global, Parameter::TensorMap], attributes)?;
    let (out, map) = (parameters[0], parameters[1]);
    let smem = e.dynamic_smem()?;
    let bars = e.create_barriers(4, 0)?;
    let (tid, elected) = lane(&e, 128)?;
    let init = e.if_then(elected)?;
    for slot in 0..4 {
        init.init_barrier(bars, init.index(slot)?, 1)?;
    }
    init.yield_values(&[])?;
    e.fence_barrier_init()?;
    e.block_barrier()?;
    let own = e.offset(smem, Space::Shared, e.types().f32, GepIndex::Value(tid))?;
    let first = e.if_then(elected)?;
    for slot in 0..4 {
        let to = first.offset_bytes(smem, Space::Shared, GepIndex::Constant(slot * 512))?;
        refill(&first, to, map, bars, first.index(slot.into())?, first.i32(slot.into())?)?;
    }
    first.yield_values(&[])?;
    let zero = e.float(e.types().f32, 0.0)?;
    let ring = e.for_loop(
        [e.i32(0)?, e.i32(16)?, e.i32(1)?],
        &[zero],
        LoopForm { keep_rolled: true, unsigned: false },
    )?;
    let (b, i) = (ring.body, ring.counter);
    let four = b.i32(4)?;
    let slot = b.binary("arith.remui", i, four)?;
    let parity = b.to_integer(b.binary("arith.divui", i, four)?, b.types().i1)?;
    let index = b.to_index(slot)?;
    b.wait(bars, index, parity)?;
    let start = b.mul(slot, b.i32(128)?)?;
    let element = b.types().f32;
    let value = b.load(b.offset(own, Space::Shared, element, GepIndex::Value(start))?, element, 4)?;
    let sum = b.binary("arith.addf", ring.carried[0], value)?;
    let more = b.if_then(b.compare(Comparison::Below, i, b.i32(12)?)?)?;
    more.block_barrier()?;
    let again = more.if_then(elected)?;
    let row = again.add(i, four)?;
    let to = again.offset(smem, Space::Shared, element, GepIndex::Value(start))?;
    refill(&again, to, map, bars, index, row)?;
    again.yield_values(&[])?;
    more.yield_values(&[])?;
    b.yield_values(&[sum])?;
    let to = e.offset(out, Space::Global, element, GepIndex::Value(tid))?;
    e.store(ring.results[0], to, 4)?;
    e.return_from_kernel()?;
    Ok(kernels)
}

/// Expects the bytes of a row, and loads it.
fn refill<'c, 'a>(
    e: &Emitter<'c, 'a>,
    destination: Value<'c, 'a>,
    map: Value<'c, 'a>,
    bars: BarrierGroup<'c, 'a>,
    slot: Value<'c, 'a>,
    row: Value<'c, 'a>,
) -> Emitted<()> {
    e.arrive_expect(bars, slot, e.index(512)?)?;
    let barrier = e.barrier_address(bars, slot)?;
    let coordinates = [e.i32(0)?, row];
    e.tma_load(TmaLoad { destination, map, coordinates: &coordinates, barrier, multicast: None })
}

fn cluster_multicast(session: &Session) -> Emitted<KernelModule<'_>> {
    let location = Location::unknown(session.context());
    let kernels = KernelModule::new(session, location)?;
    let top = kernels.emitter("k", location)?;
    top.declare_dynamic_smem(128)?;
    let attributes = KernelAttributes { lanes: 128, cluster: Some([2, 1, 1]), max_registers: None };
    let parameters = [Parameter::Global, Parameter::TensorMap];
    let (e, parameters) = top.kernel("cluster_multicast", &parameters, attributes)?;
    let (out, map) = (parameters[0], parameters[1]);
    let smem = e.dynamic_smem()?;
    let (bar, cluster_bar) = (e.create_barriers(1, 0)?, e.create_barriers(1, 8)?);
    let zero = e.index(0)?;
    let (tid, elected) = lane(&e, 128)?;
    let init = e.if_then(elected)?;
    init.init_barrier(bar, zero, 1)?;
    init.init_barrier(cluster_bar, zero, 2)?;
    init.yield_values(&[])?;
    e.fence_barrier_init()?;
    e.cluster_barrier(true)?;
    let rank = e.special_register("cluster.ctarank", Some(2))?;
    let address = e.barrier_address(cluster_bar, zero)?;
    let signal = e.if_then(e.compare(Comparison::Below, tid, e.i32(2)?)?)?;
    signal.arrive_remote(signal.map_to_block(address, tid)?, None)?;
    signal.yield_values(&[])?;
    e.wait_at(address, e.i1(false)?, Scope::Cluster)?;
    let half = e.mul(rank, e.i32(16384)?)?;
    let destination = e.offset_bytes(smem, Space::Shared, GepIndex::Value(half))?;
    let load = e.if_then(elected)?;
    load.arrive_expect(bar, zero, load.index(32768)?)?;
    let coordinates = [load.i32(0)?, load.mul(rank, load.i32(64)?)?];
    let barrier = load.barrier_address(bar, zero)?;
    let multicast = Some(load.integer(load.types().i16, 3)?);
    load.tma_load(TmaLoad { destination, map, coordinates: &coordinates, barrier, multicast })?;
    load.yield_values(&[])?;
    e.wait(bar, zero, e.i1(false)?)?;
    let store = e.if_then(elected)?;
    let bytes = store.i32(32768)?;
    let to = store.offset_bytes(out, Space::Global, GepIndex::Value(store.mul(rank, bytes)?))?;
    store.bulk_store(to, smem, bytes)?;
    store.commit_bulk_group()?;
    store.wait_bulk_group(0, false)?;
    store.yield_values(&[])?;
    e.return_from_kernel()?;
    Ok(kernels)
}

#[test]
fn a_built_ring_is_the_written_ring() {
    assert_eq!(ptx(multislot_ring), written("multislot_ring"));
}

#[test]
fn a_built_cluster_kernel_differs_from_the_written_one_by_the_scope_of_its_wait() {
    let built = ptx(cluster_multicast);
    assert!(built.contains("mbarrier.try_wait.parity.acquire.cluster.shared.b64"), "{built}");
    let count = |text: &str, part: &str| text.matches(part).count();
    let written = written("cluster_multicast");
    for part in
        ["mbarrier.init", "arrive.release.cluster", "expect_tx", "try_wait", "multicast", "bulk_group"]
    {
        assert_eq!(count(&built, part), count(&written, part), "{part}");
    }
}

#[test]
fn fences_barriers_and_register_requests_come_out_as_named() {
    fn build(session: &Session) -> Emitted<KernelModule<'_>> {
        let location = Location::unknown(session.context());
        let kernels = KernelModule::new(session, location)?;
        let parameters = [Parameter::TensorMap, Parameter::Global, Parameter::I32, Parameter::F32];
        let attributes = KernelAttributes { lanes: 256, cluster: None, max_registers: Some(128) };
        let top = kernels.emitter("k", location)?;
        top.declare_dynamic_smem(128)?;
        let (e, parameters) = top.kernel("all", &parameters, attributes)?;
        e.set_max_registers(40, false)?;
        e.set_max_registers(232, true)?;
        let fences =
            [FenceProxy::SharedBlock, FenceProxy::SharedCluster, FenceProxy::Global, FenceProxy::All];
        for what in fences {
            e.fence_proxy(what)?;
        }
        e.named_barrier(3, 128)?;
        e.warp_barrier()?;
        e.prefetch_tensor_map(parameters[0])?;
        let smem = e.create_barriers(16, 0)?;
        let source = e.barrier_address(smem, e.index(0)?)?;
        e.tma_store(source, parameters[0], &[parameters[2], e.i32(8)?])?;
        e.bulk_load(source, parameters[1], e.i32(16)?, source)?;
        e.wait_bulk_group(1, true)?;
        let power = e.intrinsic("llvm.nvvm.ex2.approx.ftz.f", &[parameters[3]], e.types().f32)?;
        e.store(power, parameters[1], 4)?;
        e.void_intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", &[e.i32(0)?])?;
        e.inline_asm("griddepcontrol.wait;", "", &[], None, true)?;
        e.return_from_kernel()?;
        Ok(kernels)
    }
    let ptx = ptx(build);
    let expected = [
        "setmaxnreg.dec.sync.aligned.u32 \t40",
        "setmaxnreg.inc.sync.aligned.u32 \t232",
        "fence.proxy.async.shared::cta",
        "fence.proxy.async.shared::cluster",
        "fence.proxy.async.global",
        "fence.proxy.async;",
        "bar.sync 3, 128",
        "bar.warp.sync",
        "prefetch.tensormap",
        "cp.async.bulk.tensor.2d.global.shared::cta",
        "mbarrier::complete_tx::bytes",
        "cp.async.bulk.wait_group.read \t1",
        "ex2.approx.ftz.f32",
        "griddepcontrol.wait",
        ".maxnreg 128",
        ".reqntid 256",
        ".param .align 64 .b8 all_param_0[128]",
    ];
    for part in expected {
        assert!(ptx.contains(part), "no `{part}` in {ptx}");
    }
    assert!(!ptx.contains(".local"), "the tensor map stays a parameter: {ptx}");
}

#[test]
fn an_op_that_does_not_fit_is_found_by_verification_and_names_its_origin() {
    let session = Session::new().unwrap();
    let line = SourceLine { file: "k.mlir".into(), line: 9, column: 1 };
    let build = || -> Emitted<KernelModule<'_>> {
        let location = Location::unknown(session.context());
        let kernels = KernelModule::new(&session, location)?;
        let attributes = KernelAttributes { lanes: 32, ..Default::default() };
        let (mut e, _) = kernels.emitter("k", location)?.kernel("k", &[], attributes)?;
        e.set_origin(OpTag(77), Some(&line));
        e.binary("arith.addi", e.i32(1)?, e.index(1)?)?;
        e.return_from_kernel()?;
        Ok(kernels)
    };
    let module = build().unwrap().finish();
    let error = session.verify(&module, Stage::Nvgpu).unwrap_err();
    let MlirError::Verify { messages, .. } = &error else { panic!("{error:?}") };
    assert_eq!((messages[0].op, messages[0].line.as_ref()), (Some(OpTag(77)), Some(&line)), "{error:?}");
}

#[test]
fn an_op_that_is_not_there_is_an_error() {
    let session = Session::new().unwrap();
    let location = Location::unknown(session.context());
    let kernels = KernelModule::new(&session, location).unwrap();
    let e = kernels.emitter("k", location).unwrap();
    let error = e.op("nvgpu.no.such.op", &[], &[], &[]).map(drop);
    let verified = error.and_then(|()| session.verify(&kernels.finish(), Stage::Nvgpu));
    assert!(verified.unwrap_err().to_string().contains("nvgpu.no.such.op"));
}
