//! `TG04xx`: memory spaces and references.

codes! {
    static ROWS_04;

    WRONG_SPACE = "TG0401", Error, "operation does not work in this memory space", "";
    SHAPE_MISMATCH = "TG0402", Error, "shapes do not match", "";
    ELEMENT_TYPE_MISMATCH = "TG0403", Error, "element types do not match", "";
    OUT_OF_BOUNDS = "TG0404", Error, "access out of bounds", "";
    UNSUPPORTED_TRANSFORM = "TG0405", Error, "unsupported tile, swizzle or transform", "";
    DYNAMIC_SHAPE = "TG0406", Error, "dynamic shape where a static one is needed", "";
    UNSUPPORTED_ELEMENT = "TG0407", Error, "element type or layout not supported in this memory space", "";
}
