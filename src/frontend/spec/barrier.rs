//! Barriers, cluster barriers and semaphores: references without an array behind them.

use super::RefSpec;
use crate::frontend::aval::{BarrierAval, RefAval};
use crate::frontend::error::SpecErrorKind;
use crate::frontend::shape::IntoShape;
use crate::ir::types::{ClusterAxes, ClusterScope, MAX_ARRIVALS, MAX_BARRIERS, num_elements};

/// A group of barriers in shared memory.
///
/// Each completes a phase after `num_arrivals` arrivals, once all bytes announced to it have landed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// Arrivals to a phase: 1 to 2²⁰ − 1, 1 unless set.
    ///
    /// An arrival is a thread's: a warpgroup's, or that of the warp in a one-warp role. So 10000 are as good as 2,
    /// though 128 lanes each would overflow an mbarrier's count: whether all lanes of a thread arrive or an elected
    /// one does is the lowering's choice, and it must elect where the product would not fit.
    pub num_arrivals: i64,
    /// The group's shape, `[1]` unless set.
    pub num_barriers: Vec<i64>,
    /// Whether arriving and waiting also order tensor-core work (Blackwell).
    pub orders_tensor_core: bool,
}

impl Barrier {
    /// One barrier of one arrival.
    pub fn new() -> Self {
        Self { num_arrivals: 1, num_barriers: vec![1], orders_tensor_core: false }
    }
    /// Sets the number of arrivals to a phase.
    #[must_use]
    pub fn num_arrivals(mut self, arrivals: i64) -> Self {
        self.num_arrivals = arrivals;
        self
    }
    /// Sets the group's shape: `4`, or `[2, 4]`.
    #[must_use]
    pub fn num_barriers(mut self, shape: impl IntoShape) -> Self {
        self.num_barriers = shape.into_shape();
        self
    }
    /// Sets whether arriving and waiting also order tensor-core work.
    #[must_use]
    pub fn orders_tensor_core(mut self, orders: bool) -> Self {
        self.orders_tensor_core = orders;
        self
    }
}

impl Default for Barrier {
    fn default() -> Self {
        Self::new()
    }
}

impl RefSpec for Barrier {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        check_group("barrier", self.num_arrivals, &self.num_barriers)?;
        Ok(RefAval::Barrier(BarrierAval {
            orders_tensor_core: self.orders_tensor_core,
            ..BarrierAval::new(&self.num_barriers, self.num_arrivals)
        }))
    }
    fn is_barrier(&self) -> bool {
        true
    }
}

/// A group of barriers whose arrivals reach the blocks of a cluster.
///
/// An arrival is made on the barrier of every block that differs from the arriving one only along `collective_axes`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterBarrier {
    /// The axes; see [`IntoClusterAxes`].
    pub collective_axes: Vec<ClusterAxes>,
    /// Arrivals to a phase from each block along the axes: 1 to 2²⁰ − 1, 1 unless set. Two blocks that arrive once
    /// each make it 1.
    pub num_arrivals: i64,
    /// The group's shape, `[1]` unless set.
    pub num_barriers: Vec<i64>,
    /// Whether arriving and waiting also order tensor-core work (Blackwell).
    pub orders_tensor_core: bool,
    /// Whether only the leader block's barrier counts.
    pub leader_tracked: bool,
}

impl ClusterBarrier {
    /// One cluster barrier along these axes, of one arrival.
    pub fn new(collective_axes: impl IntoClusterAxes) -> Self {
        Self {
            collective_axes: collective_axes.into_cluster_axes(),
            num_arrivals: 1,
            num_barriers: vec![1],
            orders_tensor_core: false,
            leader_tracked: false,
        }
    }
    /// Sets the number of arrivals to a phase.
    #[must_use]
    pub fn num_arrivals(mut self, arrivals: i64) -> Self {
        self.num_arrivals = arrivals;
        self
    }
    /// Sets the group's shape: `4`, or `[2, 4]`.
    #[must_use]
    pub fn num_barriers(mut self, shape: impl IntoShape) -> Self {
        self.num_barriers = shape.into_shape();
        self
    }
    /// Sets whether arriving and waiting also order tensor-core work.
    #[must_use]
    pub fn orders_tensor_core(mut self, orders: bool) -> Self {
        self.orders_tensor_core = orders;
        self
    }
    /// Sets whether only the leader block's barrier counts.
    #[must_use]
    pub fn leader_tracked(mut self, leader: bool) -> Self {
        self.leader_tracked = leader;
        self
    }
}

impl RefSpec for ClusterBarrier {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        check_group("cluster barrier", self.num_arrivals, &self.num_barriers)?;
        let mut seen: Vec<&str> = Vec::new();
        for axis in self.collective_axes.iter().flat_map(ClusterAxes::names) {
            if seen.contains(&axis) {
                return Err(SpecErrorKind::DuplicateClusterAxis { axis: axis.to_owned() });
            }
            seen.push(axis);
        }
        if seen.is_empty() {
            return Err(SpecErrorKind::NoClusterAxes);
        }
        let axes = self.collective_axes.as_slice().into();
        Ok(RefAval::Barrier(BarrierAval {
            orders_tensor_core: self.orders_tensor_core,
            cluster: Some(ClusterScope { axes, leader_tracked: self.leader_tracked }),
            ..BarrierAval::new(&self.num_barriers, self.num_arrivals)
        }))
    }
    fn is_barrier(&self) -> bool {
        true
    }
}

/// What can be given as cluster axes: one name (`"x"`, the same as `["x"]`), a list of names, or a list of
/// [`ClusterAxes`] where several names count as one axis.
pub trait IntoClusterAxes {
    /// The axes.
    fn into_cluster_axes(self) -> Vec<ClusterAxes>;
}

impl IntoClusterAxes for &str {
    fn into_cluster_axes(self) -> Vec<ClusterAxes> {
        vec![ClusterAxes::One(self.into())]
    }
}
impl<const N: usize> IntoClusterAxes for [&str; N] {
    fn into_cluster_axes(self) -> Vec<ClusterAxes> {
        self.into_iter().map(|name| ClusterAxes::One(name.into())).collect()
    }
}
impl IntoClusterAxes for &[&str] {
    fn into_cluster_axes(self) -> Vec<ClusterAxes> {
        self.iter().map(|&name| ClusterAxes::One(name.into())).collect()
    }
}
impl IntoClusterAxes for Vec<String> {
    fn into_cluster_axes(self) -> Vec<ClusterAxes> {
        self.into_iter().map(|name| ClusterAxes::One(name.into())).collect()
    }
}
impl IntoClusterAxes for Vec<ClusterAxes> {
    fn into_cluster_axes(self) -> Vec<ClusterAxes> {
        self
    }
}

/// A group of semaphores in global memory, by which blocks synchronise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Semaphore {
    /// The group's shape, `[1]` unless set.
    pub num_semaphores: Vec<i64>,
}

impl Semaphore {
    /// One semaphore.
    pub fn new() -> Self {
        Self { num_semaphores: vec![1] }
    }
    /// Sets the group's shape: `4`, or `[2, 4]`.
    #[must_use]
    pub fn num_semaphores(mut self, shape: impl IntoShape) -> Self {
        self.num_semaphores = shape.into_shape();
        self
    }
}

impl Default for Semaphore {
    fn default() -> Self {
        Self::new()
    }
}

impl RefSpec for Semaphore {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        check_extents("semaphore", &self.num_semaphores)?;
        Ok(RefAval::Semaphore { shape: self.num_semaphores.clone() })
    }
}

fn check_extents(noun: &'static str, shape: &[i64]) -> Result<(), SpecErrorKind> {
    if shape.is_empty() {
        return Err(SpecErrorKind::NoGroupDimension { noun });
    }
    match shape.iter().enumerate().find(|&(_, &extent)| extent < 1) {
        Some((dim, &found)) => Err(SpecErrorKind::EmptyGroup { noun, dim, found }),
        None => Ok(()),
    }
}

fn check_group(noun: &'static str, arrivals: i64, shape: &[i64]) -> Result<(), SpecErrorKind> {
    if arrivals < 1 {
        return Err(SpecErrorKind::TooFewArrivals { noun, found: arrivals });
    }
    if arrivals > MAX_ARRIVALS {
        return Err(SpecErrorKind::TooManyArrivals { noun, found: arrivals });
    }
    check_extents(noun, shape)?;
    match num_elements(shape) {
        Some(count) if count <= MAX_BARRIERS => Ok(()),
        _ => Err(SpecErrorKind::GroupTooLarge { noun, shape: shape.to_vec() }),
    }
}
