//! `TG09xx`: specs and builder.

codes! {
    static ROWS_09;

    SPEC_ARRIVALS = "TG0901", Error, "spec with an invalid number of arrivals", "";
    SPEC_EMPTY_GROUP = "TG0902", Error, "spec of an empty barrier group", "";
    SPEC_BLOCK_DIMENSION = "TG0903", Error, "unsupported block dimension", "";
    SPEC_PIPELINE_MODE = "TG0904", Error, "unsupported pipeline mode", "";
    SPEC_TMEM_OPTIONS = "TG0905", Error, "tensor memory option outside tensor memory", "";
    SPEC_PACKED_LAYOUT = "TG0906", Error, "packed together with a layout", "";
    SPEC_TMEM_TRANSFORMS = "TG0907", Error, "transforms on tensor memory", "";
    SPEC_TMEM_NARROW = "TG0908", Error, "narrow element type in tensor memory", "";
    BARRIER_ARRAY_AVAL = "TG0909", Error, "a barrier has no array aval", "";
    FOREIGN_HANDLE = "TG0910", Error, "handle of another kernel", "";
    BUILDER_MISUSE = "TG0911", Error, "builder used in the wrong order", "";
}
