//! `TG06xx`: asynchronous copies.

codes! {
    static ROWS_06;

    COPY_RANK = "TG0601", Error, "copy has an unsupported rank", "";
    COPY_BOX_EXTENT = "TG0602", Error, "box extent out of range", "";
    COPY_INNER_BYTES = "TG0603", Error, "inner dimension is not a multiple of 16 bytes", "";
    COPY_SWIZZLE_SPAN = "TG0604", Error, "inner dimension is wider than the swizzle span", "";
    COPY_GLOBAL_ALIGNMENT = "TG0605", Error, "global address or stride not aligned", "";
    COPY_ELEMENT_TYPES = "TG0606", Error, "copy between different element types", "";
    COPY_SHAPES = "TG0607", Error, "copy between different shapes", "";
    COPY_SHARED_ALIGNMENT = "TG0608", Error, "shared memory side of a copy is not aligned", "";
    COPY_MULTICAST = "TG0609", Error, "invalid multicast list", "";
    COPY_BYTES = "TG0610", Error, "expected bytes are not the bytes copied", "";
    MISSING_PROXY_FENCE = "TG0611", Error, "generic writes are not fenced from the async proxy", "";
}
