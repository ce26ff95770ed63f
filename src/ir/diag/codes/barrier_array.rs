//! `TG01xx`: a barrier is a reference and not an array.

codes! {
    static ROWS_01;

    BARRIER_AS_ARRAY = "TG0101", Error, "barrier read as an array", "";
    BARRIER_STORE = "TG0102", Error, "store to a barrier", "";
    BARRIER_ARRAY_OP = "TG0103", Error, "array operation on a barrier", "";
    BARRIER_AS_RESULT = "TG0104", Error, "barrier as a result or output", "";
    BARRIER_FOR_ARRAY_REF = "TG0105", Error, "barrier where an array reference is wanted", "";
    ARRAY_REF_FOR_BARRIER = "TG0106", Error, "array reference where a barrier is wanted", "";
    SEMAPHORE_AS_ARRAY = "TG0107", Error, "semaphore used as an array", "";
    BARRIER_SPACE = "TG0108", Error, "barrier in a memory space other than shared memory", "";
    NOT_A_BARRIER_REF = "TG0109", Error, "pointer or number where a barrier reference is wanted", "";
}
