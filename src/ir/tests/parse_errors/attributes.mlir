// Attributes and numbers.
"x.y"() {a = } : () -> () // error: TG0002 expected an attribute, found `}`
"x.y"() {a 4} : () -> () // error: TG0002 expected `,` or `}` in an attribute dictionary, found the number `4`
"x.y"() {a = 1, a = 2} : () -> () // error: TG0007 attribute `a` is given twice
"x.y"() {4 = a} : () -> () // error: TG0002 expected the name of an attribute, found the number `4`
"x.y"() {a = [1, 2} : () -> () // error: TG0002 expected `,` or `]` in an array attribute, found `}`
"x.y"() {a = 300 : i8} : () -> () // error: TG0008 300 does not fit `i8`
"x.y"() {a = -1 : ui8} : () -> () // error: TG0008 -1 does not fit `ui8`
"x.y"() {a = 128 : si8} : () -> () // error: TG0008 128 does not fit `si8`
"x.y"() {a = 1 : f32} : () -> () // error: TG0007 a float is written with a point
"x.y"() {a = 1.5 : i32} : () -> () // error: TG0007 a number with a point cannot have type `i32`
"x.y"() {a = 1. : !tg.acc<64x8xf32>} : () -> () // error: TG0007 a number with a point cannot have type `!tg.acc<64x8xf32>`
"x.y"() {a = 0x1FFFF : f16} : () -> () // error: TG0008 the bits do not fit `f16`
"x.y"() {a = 99999999999999999999999999999999999999999} : () -> () // error: TG0008 the number is too large
"x.y"() {a = 9223372036854775808} : () -> ()
"x.y"() {a = array<f8E5M2x: 1>} : () -> () // error: TG0006 `f8E5M2x` is no type
"x.y"() {a = array<index: 1>} : () -> () // error: TG0007 the elements of `array<...>` are integers of up to 64 bits, or floats
"x.y"() {a = array<i64: 1.5>} : () -> () // error: TG0008 expected a number, found `1.5`
"x.y"() {a = dense<1.0>} : () -> () // error: TG0002 expected `:` and the type of the elements, found `}`
"x.y"() {a = dense<1> : vector<4xf32>} : () -> () // error: TG0007 a float is written with a point
"x.y"() {a = dense<true> : vector<4xi8>} : () -> () // error: TG0007 `true` is no number of type `i8`
"x.y"() {a = #alias} : () -> () // error: TG0012 attribute alias `#alias` is not defined
"x.y"() {a = #x<(} : () -> () // error: TG0009 the `<` behind this name has no matching `>`
"x.y"() {a = @} : () -> () // error: TG0001 `@` starts nothing that can stand here
"x.y"() {a = @b::c} : () -> () // error: TG0002 expected a nested symbol, found `c`
"x.y"() <{a = 1} : () -> () // error: TG0002 expected `>` behind the inherent attributes, found `:`
"x.y"() <a = 1> : () -> () // error: TG0002 expected `{` behind `<`: inherent attributes stand in `<{...}>`, found `a`
%c = "arith.constant"() <{value = 4 index}> : () -> index // error: TG0002 expected `,` or `}` in an attribute dictionary, found `index`
%d = arith.constant 300 : i8 // error: TG0008 300 does not fit `i8`
%e = arith.constant "text" // error: TG0007 the value of a constant is a number, or `dense<number> : vector<...>`
%f = arith.constant : i32 // error: TG0002 expected an attribute, found `:`
%g = arith.constant 4 : f32 // error: TG0007 a float is written with a point
%h = arith.constant 1.0 : index // error: TG0007 a number with a point cannot have type `index`
%i = arith.constant dense<[1, 2]> : i32
%j = arith.addi %c, %c overflow<nsw, maybe> : index // error: TG0002 expected `overflowFlags`, one of `none`, `nsw`, `nuw`, found `maybe`
%k = arith.cmpi less, %c, %c : index // error: TG0002 expected `predicate`, one of `eq`, `ne`, `slt`, `sle`, `sgt`, `sge`, `ult`, `ule`, `ugt`, `uge`, found `less`
tg.kernel @k() grid ["i" = x] { // error: TG0002 expected a size, or `?`, found `x`
}
tg.kernel @k() grid [i = 4] { // error: TG0002 expected the name of an axis, found `i`
}
tg.kernel @k() grid ["i" = 4] grid ["j" = 4] { // error: TG0001 `grid` is given twice
}
tg.kernel k() { // error: TG0002 expected the kernel's name, as `@name`, found `k`
}
tg.set_max_registers 40 lower // error: TG0002 expected `action`, one of `increase`, `decrease`, found `lower`
tg.wait_smem_to_gmem // error: TG0002 expected `count`, a number, found the end of the line
tg.axis_index i : index // error: TG0002 expected `axis`, a string, found `i`
