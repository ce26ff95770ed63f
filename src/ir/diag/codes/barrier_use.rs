//! `TG02xx`: how barriers are used.

codes! {
    static ROWS_02;

    BARRIER_GROUP_FOR_ONE = "TG0201", Error, "group of barriers where one barrier is wanted", "";
    BARRIER_INDEX_RANGE = "TG0202", Error, "barrier index out of range", "";
    BARRIER_ARRIVALS_RANGE = "TG0203", Error, "number of arrivals out of range", "";
    BARRIER_GROUP_SIZE = "TG0204", Error, "barrier group empty or too large", "";
    BARRIER_PARITY_TYPE = "TG0205", Error, "parity is not an i1", "";
    WAIT_ON_PEER_BARRIER = "TG0206", Error, "wait on the barrier of another block", "";
    CLUSTER_BARRIER_AXES = "TG0207", Error, "cluster barrier without its cluster, or along an unknown axis", "";
    BARRIER_USE_BEFORE_INIT = "TG0208", Error, "barrier used before it is initialised", "";
    BARRIER_LIFETIME = "TG0209", Error, "barrier used after invalidation, or initialised while live", "";
    COPY_ON_CLUSTER_BARRIER = "TG0210", Error, "asynchronous copy completes on a cluster barrier", "";
    BARRIER_INDEX_COUNT = "TG0211", Error, "wrong number of barrier indices", "";
    BARRIER_ARRIVAL_COUNT = "TG0212", Error, "declared arrivals are not the arrivals that happen", "";
    BARRIER_UNUSED = "TG0213", Warning, "barrier is never used", "";
    BARRIER_TENSOR_CORE_ORDER = "TG0214", Error, "barrier must order the tensor core", "";
    BARRIER_OVERLAP = "TG0215", Error, "live barriers overlap in memory", "";
}
