// Names of values.
tg.kernel @k(%x: !tg.ref<128xf32, gmem>, %x: index) { // error: TG0005 `%x` is defined twice
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %i = arith.constant 0 : index
  %i = arith.constant 1 : index // error: TG0005 `%i` is defined twice
  %j = arith.addi %i, %missing : index // error: TG0004 `%missing` is not defined
  %k = arith.addi %j, %j : index
  tg.barrier_wait %ful[%i] : !tg.barrier_ref<2, arrivals = 1> // error: TG0004 `%ful` is not defined
  %l = tg.barrier_test %full[%k], %nope : !tg.barrier_ref<2, arrivals = 1> // error: TG0004 `%nope` is not defined
  %true = arith.constant true
  scf.if %true {
    %inner = arith.constant 1 : i32
  }
  %m = arith.addi %inner, %inner : i32 // error: TG0004 `%inner` is not defined
  %n:2 = "x.y"() : () -> (i32, i32)
  "x.z"(%n#2) : (i32) -> () // error: TG0004 `%n` has 2 results; there is no number 2
  "x.z"(%n#x) : (i32) -> () // error: TG0002 expected the number of a result, as in `%x#1`, found `#x`
  "x.z"(%n#1) : (f32) -> () // error: TG0302 `%n` is used as `f32`, but it is `i32`
  "x.z"(%later) : (i32) -> () // error: TG0302 `%later` is used as `i32`, but it is `i64`
  %later = arith.constant 1 : i64
  %p = arith.addi %i, %true : index // error: TG0302 `%true` is used as `index`, but it is `i1`
  scf.for %i = %i to %i step %i { // error: TG0005 `%i` is defined twice
  }
  %broken = tg.nothing %i // error: TG0003 dialect `tg` has no op `tg.nothing`
  %q = arith.addi %broken, %undefined : index // error: TG0004 `%undefined` is not defined
  %r = arith.addi %q, %broken : index
  %s = arith.addi %7, %i : index // error: TG0004 `%7` is not defined
}
"x.z"(%true) : (i1) -> () // error: TG0004 `%true` is not defined
