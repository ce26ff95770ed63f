//! Barrier refs: `!tg.barrier_ref<4, arrivals = 2>`.

use super::num_elements;

/// The most arrivals that a phase may wait for: the count field of an mbarrier is 20 bits wide
/// (PTX ISA, *Contents of the mbarrier object*: 1 to 2²⁰ − 1).
pub const MAX_ARRIVALS: i64 = (1 << 20) - 1;

/// The most barriers in one group: what fits into 232,448 bytes of shared memory, 8 bytes each.
pub const MAX_BARRIERS: i64 = 29_056;

/// What a barrier is for: the way out in every message about one that is taken for something else.
pub const BARRIER_USES: &str = "a barrier can be indexed, waited for (`tg.barrier_wait`), arrived on \
                                (`tg.barrier_arrive`), handed to an asynchronous copy, and used in an inner region";

/// One entry of a cluster barrier's axes: a name, or a group of names that count as one axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClusterAxes {
    /// `"x"`.
    One(Box<str>),
    /// `["y", "z"]`.
    Joint(Box<[Box<str>]>),
}

impl ClusterAxes {
    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (one, many): (Option<&str>, &[Box<str>]) = match self {
            Self::One(name) => (Some(name), &[]),
            Self::Joint(names) => (None, names),
        };
        one.into_iter().chain(many.iter().map(AsRef::as_ref))
    }
}

/// What makes a barrier a cluster barrier: an arrival reaches the barrier of every block that differs from the
/// arriving one only along these axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterScope {
    /// The axes, as in `cluster = ["x", ["y", "z"]]`.
    pub axes: Box<[ClusterAxes]>,
    /// `leader_tracked`: only the leader block's barrier counts.
    pub leader_tracked: bool,
}

/// A reference to a group of mbarriers in shared memory.
///
/// Each barrier of the group completes a phase when `arrivals` arrivals have been made on it and every byte that was
/// announced has landed; the counts are then re-armed. It has a ref aval and no array aval: there are no elements to
/// load, store or reshape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BarrierRefType {
    /// The group's shape. `[]` is a single barrier taken out of a group, as `[1]` is a group of one.
    pub shape: Box<[i64]>,
    /// Arrivals to a phase, 1 to [`MAX_ARRIVALS`]. An arrival is made by a *thread* (a warpgroup, or the warp of a
    /// one-warp role), not by a lane. On a cluster barrier, arrivals *of each block* whose arrivals reach it.
    pub arrivals: i64,
    /// Whether arriving and waiting also order tensor-core work (Blackwell).
    pub orders_tensor_core: bool,
    /// Set for cluster barriers.
    pub cluster: Option<ClusterScope>,
}

impl BarrierRefType {
    /// A group of `shape` barriers of `arrivals` each.
    pub fn new(shape: &[i64], arrivals: i64) -> Self {
        Self { shape: shape.into(), arrivals, orders_tensor_core: false, cluster: None }
    }
    /// The number of barriers.
    pub fn num_barriers(&self) -> i64 {
        num_elements(&self.shape).unwrap_or(MAX_BARRIERS)
    }
    /// Whether this is a cluster barrier.
    pub fn is_cluster(&self) -> bool {
        self.cluster.is_some()
    }
    /// The noun for messages: "barrier" or "cluster barrier".
    pub fn noun(&self) -> &'static str {
        if self.is_cluster() { "cluster barrier" } else { "barrier" }
    }
    /// "a reference to 4 barriers in shared memory", for messages.
    pub fn describe(&self) -> String {
        let count = self.num_barriers();
        let plural = if count == 1 { "" } else { "s" };
        let count = if count == 1 { "one".to_owned() } else { count.to_string() };
        format!("a reference to {count} {}{plural} in shared memory", self.noun())
    }
}
