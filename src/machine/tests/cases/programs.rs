//! The programs. A barrier is a number; buffers are ranges.

use crate::script::{Buf, Case, Step, Step::*};

const S: Buf = (0, 32768);
const T: Buf = (32768, 32768);

fn slot(n: u32, bytes: u32) -> Buf {
    (n * bytes, bytes)
}

/// Barriers with these counts, and buffers that hold something.
fn setup(counts: &[u32], buffers: &[Buf]) -> Vec<Step> {
    let mut out: Vec<Step> = (0..).zip(counts).map(|(b, &n)| Init(b, n)).collect();
    out.extend(buffers.iter().map(|&b| Store(b)));
    out.extend([Fence, InitFence]);
    out
}

fn one(steps: Vec<Step>, prologue: &[Step]) -> Case {
    Case::block(vec![steps]).with_prologue(prologue)
}

pub(crate) fn async_tma(wait_first: bool) -> Case {
    let mut steps = vec![Expect(0, S.1), TmaLoad(S, 0, 1), Wait(0, 0), Load(S), Inval(0)];
    if !wait_first {
        steps.swap(2, 3);
    }
    one(steps, &setup(&[1], &[S]))
}

pub(crate) fn two_buffers(wait_first: bool) -> Case {
    let mut steps = vec![Expect(0, 65536), TmaLoad(S, 0, 1), TmaLoad(T, 0, 1)];
    let reads = [Load(S), Load(T)];
    if wait_first {
        steps.push(Wait(0, 0));
        steps.extend(reads);
    } else {
        steps.extend(reads);
        steps.push(Wait(0, 0));
    }
    one(steps, &setup(&[1], &[S, T]))
}

pub(crate) fn expect_bytes(bytes: u32) -> Case {
    one(vec![Expect(0, bytes), TmaLoad(S, 0, 1), Wait(0, 0), Load(S)], &setup(&[1], &[]))
}

pub(crate) fn two_loads_one_buffer(latest: bool) -> Case {
    let mut steps = vec![Expect(0, S.1), TmaLoad(S, 0, 1), Expect(1, S.1), TmaLoad(S, 1, 1)];
    steps.extend(if latest { [Wait(1, 0), Load(S), Wait(0, 0)] } else { [Wait(0, 0), Load(S), Wait(1, 0)] });
    one(steps, &setup(&[1, 1], &[]))
}

pub(crate) fn tma_store(wait: bool) -> Case {
    let (s0, s1) = (slot(0, 256), slot(1, 256));
    let mut steps = vec![TmaStore(s0), TmaStore(s1), TmaStoreWait(1), Store(s0)];
    if wait {
        steps.push(TmaStoreWait(0));
    }
    steps.push(Store(s1));
    one(steps, &setup(&[], &[s0, s1]))
}

pub(crate) fn async_copy(allow: u32) -> Case {
    let (s0, s1) = (slot(0, 256), slot(1, 256));
    let steps =
        vec![CpAsync(s0), CpCommit, CpAsync(s1), CpCommit, CpWait(allow), CpAsync(s0), CpCommit, CpWait(0)];
    one(steps, &[])
}

pub(crate) fn warpgroup_mma(wait: bool) -> Case {
    let (a, b) = (slot(0, 1024), slot(1, 1024));
    let mut steps = vec![Wgmma(vec![a, b]), WgmmaWait(0), Store(a)];
    if !wait {
        steps.swap(1, 2);
    }
    one(steps, &setup(&[], &[a, b]))
}

pub(crate) fn wgmma_loop(slots: u32) -> Case {
    let (a, b) = (|k: u32| slot(k % slots, 512), |k: u32| (8192 + k % slots * 512, 512));
    let load = |k: u32| {
        let s = k % slots;
        [Expect(s, 512), TmaLoad(a(k), s, 1), Expect(slots + s, 512), TmaLoad(b(k), slots + s, 1)]
    };
    let mut steps = load(0).to_vec();
    for i in 0..10 {
        if i < 9 {
            steps.extend(load(i + 1));
        }
        let (s, parity) = (i % slots, i / slots % 2);
        steps.extend([Wait(s, parity), Wait(slots + s, parity), Wgmma(vec![a(i), b(i)]), WgmmaWait(1)]);
    }
    steps.push(WgmmaWait(0));
    one(steps, &setup(&vec![1; 2 * slots as usize], &[]))
}

fn cluster(steps: impl Fn(u32) -> Vec<Step>, prologue: &[Step]) -> Case {
    Case { blocks: (0..2).map(|rank| vec![steps(rank)]).collect() }.with_prologue(prologue)
}

pub(crate) fn st_async(bytes: u32) -> Case {
    let s = (0, 512);
    cluster(|_| vec![Expect(0, bytes), StAsync(s, 0), Wait(0, 0), Load(s), Inval(0)], &setup(&[1], &[]))
        .with_cluster_end()
}

pub(crate) fn multicast(wait_first: bool) -> Case {
    let steps = |rank| {
        let mut out = vec![Expect(0, S.1)];
        if rank == 0 {
            out.push(TmaLoad(S, 0, 3));
        }
        out.extend(if wait_first { [Wait(0, 0), Load(S)] } else { [Load(S), Wait(0, 0)] });
        out
    };
    cluster(steps, &setup(&[1], &[S])).with_cluster_end()
}

pub(crate) fn multicast_reuse() -> Case {
    let steps = |rank| {
        let mut out = Vec::new();
        for phase in 0..2 {
            out.extend([Expect(0, S.1), ClusterArrive, ClusterWait]);
            if rank == 0 {
                out.push(TmaLoad(S, 0, 3));
            }
            out.extend([Wait(0, phase), ClusterArrive, ClusterWait]);
        }
        out.extend([Load(S), Inval(0)]);
        out
    };
    cluster(steps, &setup(&[1], &[])).with_cluster_end()
}

pub(crate) fn multicast_local_store() -> Case {
    let steps = |rank| {
        let mut out = vec![Expect(0, S.1)];
        if rank == 0 {
            out.push(TmaLoad(S, 0, 3));
        }
        out.extend([ClusterArrive, ClusterWait, Store(S), Wait(0, 0), Load(S)]);
        out
    };
    cluster(steps, &setup(&[1], &[])).with_cluster_end()
}

/// The answer of cluster launch control: 16 bytes to each block, paid on each block's own barrier, maybe before they
/// are expected.
pub(crate) fn launch_control(wait_first: bool) -> Case {
    let r = (0, 16);
    let steps = |rank| {
        let mut out = Vec::new();
        if rank == 0 {
            out.push(TmaLoad(r, 0, 3));
        }
        out.push(Expect(0, 16));
        out.extend(if wait_first { [Wait(0, 0), Load(r)] } else { [Load(r), Wait(0, 0)] });
        out
    };
    cluster(steps, &setup(&[1], &[r])).with_cluster_end()
}

pub(crate) fn launch_control_twice() -> Case {
    let r = (0, 16);
    let steps = |rank| {
        let mut out = vec![Expect(0, 16)];
        out.extend((rank == 0).then_some(TmaLoad(r, 0, 3)));
        out.push(Expect(1, 16));
        out.extend((rank == 0).then_some(TmaLoad(r, 1, 3)));
        out.extend([Wait(0, 0), Wait(1, 0)]);
        out
    };
    cluster(steps, &setup(&[1, 1], &[])).with_cluster_end()
}

pub(crate) fn ws_store_wait_load(wait: bool) -> Case {
    let (s0, s1) = (slot(0, 256), slot(1, 256));
    let mut p0 = vec![Wait(0, 0), Load(s0), Store(s1), Arrive(1, 1)];
    if !wait {
        p0.remove(0);
    }
    Case::block(vec![p0, vec![Store(s0), Arrive(0, 1)]])
        .with_prologue(&setup(&[1, 1], &[s0, s1]))
        .with_epilogue(&[Wait(1, 0), Load(s0)])
}

pub(crate) fn ws_load_wait_store(wait: bool) -> Case {
    let (s0, s1) = (slot(0, 256), slot(1, 256));
    let mut p0 = vec![Wait(0, 0), Store(s0), Arrive(1, 1)];
    if !wait {
        p0.remove(0);
    }
    Case::block(vec![p0, vec![Load(s0), Arrive(0, 1), Store(s1)]])
        .with_prologue(&setup(&[1, 1], &[s0, s1]))
        .with_epilogue(&[Wait(1, 0), Load(s0)])
}

pub(crate) fn two_loads_two_bars(missing: Option<u32>) -> Case {
    let s = |n| slot(n, 256);
    let mut p2: Vec<Step> = (0..2).filter(|&b| missing != Some(b)).map(|b| Wait(b, 0)).collect();
    p2.extend([Store(s(0)), Arrive(2, 1)]);
    Case::block(vec![
        vec![Load(s(0)), Arrive(0, 1), Store(s(1))],
        vec![Load(s(0)), Arrive(1, 1), Store(s(2))],
        p2,
    ])
    .with_prologue(&setup(&[1, 1, 1], &[s(0), s(1), s(2)]))
    .with_epilogue(&[Wait(2, 0), Load(s(0))])
}

pub(crate) fn two_loads_loop(missing: Option<u32>) -> Case {
    let s0 = slot(0, 256);
    let mut agents = vec![Vec::new(), Vec::new(), Vec::new()];
    let has = |b: u32| missing != Some(b);
    for i in 0..10 {
        let ph = i % 2;
        for (p, agent) in agents.iter_mut().take(2).enumerate() {
            let p = p as u32;
            agent.extend(has(2 + p).then_some(Wait(2 + p, ph)));
            agent.extend([Load(s0), Arrive(p, 1)]);
        }
        agents[2].extend((0..2).filter(|&b| has(b)).map(|b| Wait(b, ph)));
        agents[2].extend([Store(s0), Arrive(2, 1), Arrive(3, 1)]);
    }
    let mut prologue = setup(&[1, 1, 1, 1], &[s0]);
    prologue.extend([Arrive(2, 1), Arrive(3, 1)]);
    Case::block(agents).with_prologue(&prologue)
}

pub(crate) fn ws_groups(own_slots: bool) -> Case {
    let s = |n| slot(n, 64);
    let agent = |base: u32| {
        let read = if own_slots { base } else { 0 };
        let mut out = vec![CpAsync(s(base)), CpCommit];
        for i in 1..10 {
            if i < 9 {
                out.extend([CpAsync(s(base + i % 2)), CpCommit, CpWait(1)]);
            } else {
                out.push(CpWait(0));
            }
            out.push(Load(s(read + (i - 1) % 2)));
        }
        out.push(Store(s(base)));
        out
    };
    Case::block(vec![agent(0), agent(2)]).with_prologue(&setup(&[], &[]))
}

pub(crate) fn group_visibility(read: u32) -> Case {
    let s = |n| slot(n, 256);
    let p0 = vec![CpAsync(s(0)), CpCommit, CpAsync(s(1)), CpCommit, CpWait(1), Arrive(0, 1)];
    Case::block(vec![p0, vec![Wait(0, 0), Load(s(read)), Store(s(0))]])
        .with_prologue(&setup(&[1], &[s(0), s(1)]))
}

pub(crate) fn fence_across(producer: bool, consumer: bool) -> Case {
    let s = slot(0, 256);
    let mut p0 = vec![Store(s), Arrive(0, 1)];
    let mut p1 = vec![Wait(0, 0), TmaStore(s), TmaStoreWait(0)];
    if producer {
        p0.insert(1, Fence);
    }
    if consumer {
        p1.insert(1, Fence);
    }
    Case::block(vec![p0, p1]).with_prologue(&[Init(0, 1)])
}

pub(crate) fn deadlock_two() -> Case {
    Case::block(vec![vec![Wait(0, 0)], vec![Wait(1, 0)]]).with_prologue(&setup(&[1, 1], &[]))
}

pub(crate) fn deadlock_padded() -> Case {
    Case::block(vec![vec![], vec![Wait(0, 0)], vec![Wait(0, 0)], vec![Wait(0, 0)]])
        .with_prologue(&setup(&[1], &[]))
}

pub(crate) fn over_arrival() -> Case {
    one(vec![Arrive(0, 1), Arrive(0, 1), Wait(0, 0)], &setup(&[1], &[]))
}

pub(crate) fn under_arrival() -> Case {
    Case::block(vec![vec![Arrive(1, 1), Wait(0, 0)], vec![Arrive(0, 1), Wait(1, 0)]])
        .with_prologue(&setup(&[2, 2], &[]))
}

pub(crate) fn tma_signals() -> Case {
    let agent = |n: u32| vec![Expect(n, 256), TmaLoad(slot(n, 256), n, 1), Wait(n, 0)];
    Case::block(vec![agent(0), agent(1)]).with_prologue(&setup(&[1, 1], &[]))
}

pub(crate) fn underflow() -> Case {
    Case::block(vec![vec![Arrive(1, 2), Wait(0, 0)], vec![Wait(1, 0)]]).with_prologue(&setup(&[1, 1], &[]))
}

pub(crate) fn reinit(inval: bool) -> Case {
    let mut steps = vec![Init(0, 1), Inval(0), Init(0, 1), Inval(0)];
    if !inval {
        steps.remove(1);
    }
    Case::block(vec![steps])
}

pub(crate) fn without_init(which: usize) -> Case {
    let step = [Wait(0, 0), Arrive(0, 1), Inval(0), Expect(0, 32768)][which].clone();
    Case::block(vec![vec![step]])
}

pub(crate) fn overlap(overlapping: bool, wait: bool) -> Case {
    let (head, tail, d) = ((0, 1024), (1024, 1024), (4096, 64));
    let mut p0 = vec![Store(head)];
    if overlapping {
        p0.push(Store(tail));
    }
    p0.push(Arrive(0, 1));
    let mut p1 = if wait { vec![Wait(0, 0)] } else { vec![] };
    p1.extend([Load(tail), Store(d)]);
    Case::block(vec![p0, p1]).with_prologue(&setup(&[1], &[head, tail]))
}

pub(crate) fn tma_overwrites() -> Case {
    let (all, tail, d) = ((0, 2048), (1024, 1024), (4096, 64));
    Case::block(vec![
        vec![Store(all), Fence, Expect(0, 1024), TmaLoad(tail, 0, 1)],
        vec![Wait(0, 0), Load(tail), Store(d)],
    ])
    .with_prologue(&setup(&[1], &[]))
}

pub(crate) fn never_written() -> Case {
    Case::block(vec![vec![Load(slot(0, 64))]])
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gemm {
    Correct,
    LateWaitOnA,
    NoWaitOnB,
}

/// A producer and two consumers; two slots. Barriers by slot: full A0, full A1, full B, empty A0, empty A1, empty B.
pub(crate) fn gemm(kind: Gemm) -> Case {
    let n = 2;
    let bar = |which: u32, s: u32| which * n + s;
    let buf = |which: u32, s: u32| slot(which * n + s, 512);
    let mut agents = vec![Vec::new(), Vec::new(), Vec::new()];
    for k in 0..8 {
        let (s, lap) = (k % n, k / n % 2);
        for which in [0, 2, 1] {
            let full = bar(which, s);
            agents[0].extend([
                Wait(bar(3 + which, s), 1 - lap),
                Expect(full, 512),
                TmaLoad(buf(which, s), full, 1),
            ]);
        }
        for r in 0..2 {
            let (wait_a, wait_b) = (Wait(bar(r, s), lap), Wait(bar(2, s), lap));
            let mma = Wgmma(vec![buf(r, s), buf(2, s)]);
            let steps = match kind {
                Gemm::Correct => vec![wait_a, wait_b, mma],
                Gemm::LateWaitOnA => vec![wait_b, mma, wait_a],
                Gemm::NoWaitOnB => vec![wait_a, mma],
            };
            agents[1 + r as usize].extend(steps);
            agents[1 + r as usize].extend([WgmmaWait(0), Arrive(bar(3 + r, s), 1), Arrive(bar(5, s), 1)]);
        }
    }
    let counts = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2];
    let buffers: Vec<Buf> = (0..6).map(|i| slot(i, 512)).collect();
    Case::block(agents).with_prologue(&setup(&counts, &buffers))
}

pub(crate) fn named_crossed() -> Case {
    Case::block(vec![vec![Sync(1, 64), NamedArrive(2, 64)], vec![Sync(2, 64), NamedArrive(1, 64)]])
}

pub(crate) fn named_different() -> Case {
    Case::block(vec![vec![Sync(1, 96)], vec![Sync(1, 128)], vec![], vec![]])
}

pub(crate) fn pipeline(arrive: bool) -> Case {
    let n = 2;
    let mut agents = vec![Vec::new(), Vec::new()];
    for k in 0..6 {
        let (s, lap) = (k % n, k / n % 2);
        agents[0].extend([Wait(n + s, 1 - lap), Expect(s, 256), TmaLoad(slot(s, 256), s, 1)]);
        agents[1].extend([Wait(s, lap), Load(slot(s, 256))]);
        agents[1].extend(arrive.then_some(Arrive(n + s, 1)));
    }
    Case::block(agents).with_prologue(&setup(&[1; 4], &[]))
}

pub(crate) fn circular() -> Case {
    Case::block(vec![vec![Wait(0, 0), Arrive(1, 1)], vec![Wait(1, 0), Arrive(0, 1)]])
        .with_prologue(&setup(&[1, 1], &[]))
}

pub(crate) fn one_short() -> Case {
    Case::block(vec![vec![Arrive(0, 1)], vec![Wait(0, 0)]]).with_prologue(&setup(&[2], &[]))
}

/// Barrier 0 ready, 1 empty; the consumer has two warps, of which one arrives for both.
pub(crate) fn leader_early(join: bool) -> Case {
    let mut agents = vec![Vec::new(), Vec::new(), Vec::new()];
    for k in 0..4 {
        let parity = k % 2;
        agents[0].extend([Wait(1, 1 - parity), Arrive(0, 1)]);
        for consumer in &mut agents[1..] {
            consumer.push(Wait(0, parity));
            consumer.extend(join.then_some(Sync(3, 64)));
        }
        agents[1].push(Arrive(1, 1));
    }
    Case::block(agents).with_prologue(&setup(&[1, 1], &[]))
}

pub(crate) fn mixed_wait() -> Case {
    cluster(|rank| if rank == 0 { vec![] } else { vec![Wait(0, 0)] }, &setup(&[1], &[])).with_cluster_end()
}

pub(crate) fn expect_in_one() -> Case {
    let r = (0, 16);
    let steps = |rank| {
        let mut out = if rank == 0 { vec![Expect(0, 16), TmaLoad(r, 0, 3)] } else { vec![] };
        out.extend([Wait(0, 0), Load(r)]);
        out
    };
    cluster(steps, &setup(&[1], &[r])).with_cluster_end()
}

pub(crate) fn no_back_pressure(empty: bool) -> Case {
    let mut agents = vec![Vec::new(), Vec::new()];
    for i in 0..8 {
        let (s, lap) = (i % 2, i / 2 % 2);
        agents[0].extend(empty.then_some(Wait(2 + s, 1 - lap)));
        agents[0].extend([Store(slot(s, 256)), Arrive(s, 1)]);
        agents[1].extend([Wait(s, lap), Load(slot(s, 256))]);
        agents[1].extend(empty.then_some(Arrive(2 + s, 1)));
    }
    Case::block(agents).with_prologue(&setup(&[1; 4], &[]))
}

/// One producer whose first wait asks for this parity of a fresh barrier.
pub(crate) fn starting_parity(first: u32) -> Case {
    let mut agents = vec![Vec::new(), Vec::new()];
    for i in 0..6 {
        let (s, lap) = (i % 2, i / 2 % 2);
        agents[0].extend([Wait(2 + s, first ^ lap), Expect(s, 256), TmaLoad(slot(s, 256), s, 1)]);
        agents[1].extend([Wait(s, lap), Load(slot(s, 256)), Arrive(2 + s, 1)]);
    }
    Case::block(agents).with_prologue(&setup(&[1; 4], &[]))
}

pub(crate) fn peer_leaves(meet: bool) -> Case {
    let case = cluster(|rank| if rank == 1 { vec![ArriveAt(0, 0)] } else { vec![] }, &setup(&[1], &[]));
    if meet { case.with_cluster_end() } else { case }
}

/// Block 0 signals block 1's barrier; the blocks meet after the initialisation, or do not.
pub(crate) fn peer_init(meet: bool) -> Case {
    let s = (0, 256);
    let block = |rank: u32| {
        let mut out = vec![Init(0, 1), InitFence];
        if meet {
            out.extend([ClusterArriveRelaxed, ClusterWait]);
        }
        out.push(Expect(0, 256));
        out.extend((rank == 0).then_some(TmaLoad(s, 0, 3)));
        out.extend([Wait(0, 0), Load(s)]);
        vec![out]
    };
    Case { blocks: vec![block(0), block(1)] }.with_cluster_end()
}

pub(crate) fn elected_arrival(join: bool) -> Case {
    let w = (0, 128);
    let mut p = vec![LanesStore(w)];
    p.extend(join.then_some(SyncLanes));
    p.push(Arrive(0, 1));
    Case::block(vec![p, vec![Wait(0, 0), Load(w)]]).with_prologue(&setup(&[1], &[]))
}

pub(crate) fn exit_in_flight(wait: bool) -> Case {
    let s = slot(0, 256);
    let mut steps = vec![TmaStore(s)];
    steps.extend(wait.then_some(TmaStoreWait(0)));
    one(steps, &setup(&[], &[s]))
}

/// A copy pays on a barrier whose initialisation only a barrier of the block precedes, or a fence, too.
pub(crate) fn init_fence(fence: bool) -> Case {
    let s = slot(0, 256);
    let mut prologue = vec![Init(0, 1)];
    prologue.extend(fence.then_some(InitFence));
    one(vec![Expect(0, 256), TmaLoad(s, 0, 1), Wait(0, 0), Load(s)], &prologue)
}
