// Operands, types, blocks and what belongs together.
%a = arith.constant 1 : i32
%r = "arith.addi"(%a, %a) : (i32) -> i32 // error: TG0010 the op has 2 operands, and 1 type is given
%s = "arith.addi"(%a) : (i32, i32) -> i32 // error: TG0010 the op has 1 operand, and 2 types are given
%t = "arith.addi"(%a, %a) : i32 // error: TG0002 expected `(` before the operand types, found `i32`
%u = "arith.addi"(%a, %a) // error: TG0002 expected `:` and the op's type, as in `: (i32, i32) -> i32`, found the end of the line
%v = "arith.addi"(%a, %a) : (i32, i32) // error: TG0002 expected `->` and the result types, found the end of the line
"x.y"(%a, 4) : (i32, i32) -> () // error: TG0002 expected an operand, as `%x`, found the number `4`
"cf.br"()[^nowhere] : () -> () // error: TG0011 block `^nowhere` is not defined in this region
"x.y"() ({
^bb0:
  "cf.br"()[^bb9] : () -> () // error: TG0011 block `^bb9` is not defined in this region
^bb0: // error: TG0011 block `^bb0` is defined twice
  "cf.br"()[^bb0] : () -> ()
}) : () -> ()
"x.y"() ({
^bb0(%x i32): // error: TG0002 expected `:` and the argument's type, found `i32`
  "x.z"() : () -> ()
^bb1(%y: i32) // error: TG0002 expected `:` behind the head of a block, found the end of the line
  "x.z"() : () -> ()
}) : () -> ()
%w = scf.for %i = %a to %a step %a iter_args(%p = %a) -> (i32, i32) : i32 { // error: TG0010 1 value is carried, and 2 types are given
}
scf.for %i = %a to %a step %a iter_args(%p = %a) : i32 { // error: TG0002 expected `->` and the types of the carried values, as `-> (f32)`, found `:`
}
scf.for %i = %a to %a { // error: TG0002 expected `step` and the step of the loop, found `{`
}
%true = arith.constant true
scf.if %a { // error: TG0302 `%a` is used as `i1`, but it is `i32`
}
%x = scf.if %true -> i32, i32 { // error: TG0002 several result types stand in parentheses
}
%y = scf.while (%q = %a) : (i32, i32) -> i32 { // error: TG0010 1 value is carried, and 2 types are given
} do {
}
scf.yield %a, %a : i32 // error: TG0010 `results` has 2 values, and 1 type is given
tg.debug_print "{}", %a // error: TG0002 expected `:` here in `tg.debug_print`, found the end of the line
tg.kernel @k(%x: !tg.ref<4xf32, gmem>) -> f32 { // error: TG0001 a kernel returns nothing
}
tg.kernel @k(%x: !tg.ref<4xf32, gmem>) -> !tg.barrier_ref<1, arrivals = 1> { // error: TG0104 a kernel cannot return a barrier
}
tg.kernel @k(%x) { // error: TG0002 expected `:` and the parameter's type, found `)`
}
tg.kernel @k(x: f32) { // error: TG0002 expected a parameter, as `%x: !tg.ref<128xf32, gmem>`, found `x`
}
tg.kernel @k { // error: TG0002 expected `(` before the kernel's parameters, found `{`
}
tg.kernel @k() -> { // error: TG0002 expected a type, found `{`
}
