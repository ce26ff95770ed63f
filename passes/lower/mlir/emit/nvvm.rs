//! `nvvm`: what is about lanes, clusters, fences and copies.

use melior::ir::{Value, ValueLike};

use super::{Emitted, Emitter};

/// Whose operations an mbarrier operation orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The block's.
    Block,
    /// The cluster's.
    Cluster,
}

/// Which generic accesses a proxy fence orders before asynchronous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceProxy {
    /// Those of the own block's shared memory.
    SharedBlock,
    /// Those of the cluster's shared memory.
    SharedCluster,
    /// Those of global memory.
    Global,
    /// All.
    All,
}

/// A TMA load of a box.
#[derive(Clone, Copy, Debug)]
pub struct TmaLoad<'c, 'a, 'x> {
    /// Where to, in shared memory of the own block.
    pub destination: Value<'c, 'a>,
    /// The tensor map.
    pub map: Value<'c, 'a>,
    /// The coordinates of the box, innermost first, `i32`.
    pub coordinates: &'x [Value<'c, 'a>],
    /// The address of the mbarrier that the bytes are paid on.
    pub barrier: Value<'c, 'a>,
    /// The blocks of the cluster that get the box, one bit each (`i16`); at the same offset in each.
    pub multicast: Option<Value<'c, 'a>>,
}

impl<'c, 'a> Emitter<'c, 'a> {
    /// A special register, whose value is below `limit`: `tid.x`, `ctaid.y`, `cluster.ctarank`.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn special_register(&self, name: &str, limit: Option<u32>) -> Emitted<Value<'c, 'a>> {
        let range = match limit {
            Some(limit) => {
                vec![("range", self.attribute(&format!("#llvm.constant_range<i32, 0, {limit}>"))?)]
            }
            None => Vec::new(),
        };
        self.value(&format!("nvvm.read.ptx.sreg.{name}"), &[], self.types.i32, &range)
    }

    /// `bar.sync 0`: all lanes of the block.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn block_barrier(&self) -> Emitted<()> {
        self.op("gpu.barrier", &[], &[], &[]).map(drop)
    }

    /// `bar.sync id, lanes`: the named barrier `id`, 1 to 15, of `lanes` lanes. The id has to be a constant: with one
    /// computed at run time `ptxas` reserves all 16.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn named_barrier(&self, id: u32, lanes: u32) -> Emitted<()> {
        // By an intrinsic LLVM would merge the barriers of two branches into one of a computed id.
        self.inline_asm(&format!("bar.sync {id}, {lanes};"), "~{memory}", &[], None, true).map(drop)
    }

    /// `bar.red.and`: the named barrier `id` of `lanes` lanes, and whether `flag`, an `i1`, is true in all of them.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn all_lanes(&self, id: u32, lanes: u32, flag: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        let flag = self.to_integer(flag, self.types.i32)?;
        let text = format!(
            "{{ .reg .pred p; setp.ne.b32 p, $1, 0; bar.red.and.pred p, {id}, {lanes}, p; selp.b32 $0, 1, 0, p; }}"
        );
        let all = self.inline_asm(&text, "=r,r,~{memory}", &[flag], Some(self.types.i32), true)?;
        let zero = self.i32(0)?;
        self.compare(super::Comparison::NotEqual, all.unwrap_or(flag), zero)
    }

    /// `bar.warp.sync`: all lanes of the warp.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn warp_barrier(&self) -> Emitted<()> {
        let all = self.i32(-1)?;
        self.op("nvvm.bar.warp.sync", &[all], &[], &[]).map(drop)
    }

    /// `barrier.cluster.arrive` and `.wait`: all lanes of the cluster. `relaxed` orders no memory.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn cluster_barrier(&self, relaxed: bool) -> Emitted<()> {
        let arrive = if relaxed { "nvvm.cluster.arrive.relaxed" } else { "nvvm.cluster.arrive" };
        let aligned = [("aligned", self.unit_attribute())];
        self.op(arrive, &[], &[], &aligned)?;
        self.op("nvvm.cluster.wait", &[], &[], &aligned).map(drop)
    }

    /// `fence.mbarrier_init`: makes initialised barriers known to the cluster and to asynchronous copies.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn fence_barrier_init(&self) -> Emitted<()> {
        self.op("nvvm.fence.mbarrier.init", &[], &[], &[]).map(drop)
    }

    /// `fence.proxy.async`: orders what this lane did generically before what is done asynchronously.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn fence_proxy(&self, what: FenceProxy) -> Emitted<()> {
        let (kind, space) = match what {
            FenceProxy::SharedBlock => ("async.shared", Some("cta")),
            FenceProxy::SharedCluster => ("async.shared", Some("cluster")),
            FenceProxy::Global => ("async.global", None),
            FenceProxy::All => ("async", None),
        };
        let mut attributes = vec![("kind", self.attribute(&format!("#nvvm.proxy_kind<{kind}>"))?)];
        if let Some(space) = space {
            attributes.push(("space", self.attribute(&format!("#nvvm.shared_space<{space}>"))?));
        }
        self.op("nvvm.fence.proxy", &[], &[], &attributes).map(drop)
    }

    /// `mapa`: the address, in the block of rank `rank` of the cluster, of what is at `address` in this one.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn map_to_block(&self, address: Value<'c, 'a>, rank: Value<'c, 'a>) -> Emitted<Value<'c, 'a>> {
        self.value("nvvm.mapa", &[address, rank], self.types.cluster, &[])
    }

    /// Arrives `count` times (`i32`), or once, on the barrier of another block, at an address from
    /// [`map_to_block`](Self::map_to_block).
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn arrive_remote(&self, barrier: Value<'c, 'a>, count: Option<Value<'c, 'a>>) -> Emitted<()> {
        let scope = ("scope", self.scope(Scope::Cluster)?);
        let operands: Vec<_> = std::iter::once(barrier).chain(count).collect();
        self.op("nvvm.mbarrier.arrive", &operands, &[], &[scope]).map(drop)
    }

    /// Waits for the phase of `parity`, an `i1`, of the barrier at an address; acquires at `scope`. The own block's waits
    /// go through `nvgpu`; this is for barriers that peers arrive on.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn wait_at(&self, barrier: Value<'c, 'a>, parity: Value<'c, 'a>, scope: Scope) -> Emitted<()> {
        let parity = self.to_integer(parity, self.types.i32)?;
        let scope = ("scope", self.scope(scope)?);
        let wait = self.while_loop(&[], &[])?;
        let before = wait.before;
        let done = before.value("nvvm.mbarrier.try_wait", &[barrier, parity], self.types.i1, &[scope])?;
        let again = before.binary("arith.xori", done, before.i1(true)?)?;
        before.condition(again, &[])?;
        wait.body.yield_values(&[])
    }

    /// The same without arriving first: whether the phase of `parity`, an `i1`, has completed.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn test_at(
        &self,
        barrier: Value<'c, 'a>,
        parity: Value<'c, 'a>,
        scope: Scope,
    ) -> Emitted<Value<'c, 'a>> {
        let parity = self.to_integer(parity, self.types.i32)?;
        let scope = ("scope", self.scope(scope)?);
        self.value("nvvm.mbarrier.test.wait", &[barrier, parity], self.types.i1, &[scope])
    }

    /// Arrives `count` times (`i32`) on the own block's barrier at an address.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn arrive_at(&self, barrier: Value<'c, 'a>, count: Value<'c, 'a>) -> Emitted<()> {
        self.value("nvvm.mbarrier.arrive", &[barrier, count], self.types.i64, &[]).map(drop)
    }

    /// Announces `bytes` (`i32`) on the barrier at an address, of the own block or of a peer, without arriving.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn expect_at(&self, barrier: Value<'c, 'a>, bytes: Value<'c, 'a>, scope: Scope) -> Emitted<()> {
        let scope = ("scope", self.scope(scope)?);
        self.op("nvvm.mbarrier.expect_tx", &[barrier, bytes], &[], &[scope]).map(drop)
    }

    /// Announces `bytes` (`i32`) on a peer's barrier, and arrives there.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn arrive_expect_remote(&self, barrier: Value<'c, 'a>, bytes: Value<'c, 'a>) -> Emitted<()> {
        let scope = ("scope", self.scope(Scope::Cluster)?);
        self.op("nvvm.mbarrier.arrive.expect_tx", &[barrier, bytes], &[], &[scope]).map(drop)
    }

    /// Ends the life of the barrier at an address.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn invalidate_at(&self, barrier: Value<'c, 'a>) -> Emitted<()> {
        self.op("nvvm.mbarrier.inval", &[barrier], &[], &[]).map(drop)
    }

    /// What the lane at distance `mask` (by exclusive or of lane numbers) in the warp has for `value`.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn shuffle_xor(&self, value: Value<'c, 'a>, mask: u32) -> Emitted<Value<'c, 'a>> {
        let operands = [self.i32(-1)?, value, self.i32(mask.into())?, self.i32(31)?];
        let kind = ("kind", self.attribute("#nvvm<shfl_kind bfly>")?);
        self.value("nvvm.shfl.sync", &operands, value.r#type(), &[kind])
    }

    fn scope(&self, scope: Scope) -> Emitted<melior::ir::Attribute<'c>> {
        self.attribute(match scope {
            Scope::Block => "#nvvm.mem_scope<cta>",
            Scope::Cluster => "#nvvm.mem_scope<cluster>",
        })
    }

    /// A TMA load, by one lane. Without multicast it goes to the own block by its own window, with fewer instructions.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn tma_load(&self, load: TmaLoad<'c, 'a, '_>) -> Emitted<()> {
        let destination = match load.multicast {
            Some(_) => self.to_cluster_window(load.destination)?,
            None => load.destination,
        };
        let mut operands = vec![destination, load.map];
        operands.extend(load.coordinates);
        operands.push(load.barrier);
        operands.extend(load.multicast);
        let rank = i32::try_from(load.coordinates.len()).unwrap_or(i32::MAX);
        let multicast = i32::from(load.multicast.is_some());
        let attributes = [
            ("isCTAOnly", self.bool_attribute(load.multicast.is_none())),
            ("mode", self.attribute("#nvvm.tma_load_mode<tile>")?),
            self.segments(&[1, 1, rank, 1, 0, multicast, 0, 0]),
        ];
        self.op("nvvm.cp.async.bulk.tensor.shared.cluster.global", &operands, &[], &attributes).map(drop)
    }

    /// A TMA store of a box, by one lane.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn tma_store(
        &self,
        source: Value<'c, 'a>,
        map: Value<'c, 'a>,
        coordinates: &[Value<'c, 'a>],
    ) -> Emitted<()> {
        let operands = [&[map, source], coordinates].concat();
        let rank = i32::try_from(coordinates.len()).unwrap_or(i32::MAX);
        let attributes =
            [("mode", self.attribute("#nvvm.tma_store_mode<tile>")?), self.segments(&[1, 1, rank, 0, 0])];
        self.op("nvvm.cp.async.bulk.tensor.global.shared.cta", &operands, &[], &attributes).map(drop)
    }

    /// A copy of `bytes` bytes (`i32`) from global to shared memory without a tensor map, paid on the barrier at
    /// `barrier`. By one lane; addresses and size are multiples of 16.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn bulk_load(
        &self,
        destination: Value<'c, 'a>,
        source: Value<'c, 'a>,
        bytes: Value<'c, 'a>,
        barrier: Value<'c, 'a>,
    ) -> Emitted<()> {
        let operands = [destination, source, barrier, bytes];
        let segments = self.segments(&[1, 1, 1, 1, 0, 0]);
        self.op("nvvm.cp.async.bulk.shared.cluster.global", &operands, &[], &[segments]).map(drop)
    }

    /// A copy of `bytes` bytes (`i32`) from shared to global memory without a tensor map, as part of the lane's bulk
    /// group. By one lane; addresses and size are multiples of 16.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn bulk_store(
        &self,
        destination: Value<'c, 'a>,
        source: Value<'c, 'a>,
        bytes: Value<'c, 'a>,
    ) -> Emitted<()> {
        let operands = [destination, source, bytes];
        let segments = self.segments(&[1, 1, 1, 0, 0]);
        self.op("nvvm.cp.async.bulk.global.shared.cta", &operands, &[], &[segments]).map(drop)
    }

    /// Closes the lane's bulk group.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn commit_bulk_group(&self) -> Emitted<()> {
        self.op("nvvm.cp.async.bulk.commit.group", &[], &[], &[]).map(drop)
    }

    /// Waits until at most `pending` of the lane's bulk groups are open; with `reads_only`, until the others have read their
    /// sources.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn wait_bulk_group(&self, pending: u32, reads_only: bool) -> Emitted<()> {
        let mut attributes = vec![("group", self.integer_attribute(self.types.i32, pending.into()))];
        if reads_only {
            attributes.push(("read", self.unit_attribute()));
        }
        self.op("nvvm.cp.async.bulk.wait_group", &[], &[], &attributes).map(drop)
    }

    /// `setmaxnreg`: a warpgroup gives registers back, or takes more.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn set_max_registers(&self, count: u32, increase: bool) -> Emitted<()> {
        let action = if increase { "#nvvm<action increase>" } else { "#nvvm<action decrease>" };
        let attributes = [
            ("action", self.attribute(action)?),
            ("regCount", self.integer_attribute(self.types.i32, count.into())),
        ];
        self.op("nvvm.setmaxregister", &[], &[], &attributes).map(drop)
    }

    /// Brings a tensor map into the cache. By one lane.
    ///
    /// # Errors
    ///
    /// [`MlirError`](super::MlirError).
    pub fn prefetch_tensor_map(&self, map: Value<'c, 'a>) -> Emitted<()> {
        self.op("nvvm.prefetch", &[map], &[], &[("tensormap", self.unit_attribute())]).map(drop)
    }
}
