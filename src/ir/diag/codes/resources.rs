//! `TG07xx`: resources of a block, a cluster, a grid.

codes! {
    static ROWS_07;

    SHARED_MEMORY_LIMIT = "TG0701", Error, "shared memory over the limit", "";
    TENSOR_MEMORY_LIMIT = "TG0702", Error, "tensor memory over the limit", "";
    NAMED_BARRIER_LIMIT = "TG0703", Error, "too many named barriers", "";
    BLOCK_THREADS = "TG0704", Error, "invalid number of threads in a block", "";
    CLUSTER_SIZE = "TG0705", Error, "invalid cluster size", "";
    GRID_SIZE = "TG0706", Error, "invalid grid size", "";
}
