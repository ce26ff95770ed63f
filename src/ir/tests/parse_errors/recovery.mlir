// One error does not hide the next, and makes no others.
tg.kernel @first(%x: !tg.ref<128xf32, gmem>) {
  %a = tg.load %x : !tg.ref<128xf32 gmem> -> vector<128xf32> // error: TG0002 expected `,` and the memory space, as in `!tg.ref<128xf32, smem>`, found `gmem`
  %b = arith.addf %a, %a : vector<128xf32>
  tg.warp_specialize {
    role @producer wraps 1 { // error: TG0002 expected the role's body, or `warps`, `threads`, `registers` or `attributes`, found `wraps`
      %c = arith.constant 1 : i32
    }
    role @consumer {
      %d = arith.addf %b, %b : vector<128xf32>
      %e = arith.constant 1.0 : i32 // error: TG0007 a number with a point cannot have type `i32`
    }
    rule @third { // error: TG0002 expected an op, found `rule`
      tg.block_sync
    }
  }
  tg.store %b %x : vector<128xf32>, !tg.ref<128xf32, gmem> // error: TG0002 expected `,` here in `tg.store`, found `%x`
}
tg.kernel @second(%x: !tg.ref<128xf32 gmem>) { // error: TG0002 expected `,` and the memory space, as in `!tg.ref<128xf32, smem>`, found `gmem`
  %a = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  tg.store %a, %x : vector<128xf32>, !tg.ref<128xf32, gmem>
}
tg.kernel @third(%x: !tg.ref<128xf32, gmem>) {
  scf.for %i = 0 to 4 step 1 { // error: TG0002 expected the first value of the loop variable, found the number `0`
    %a = tg.load %x[%i] : !tg.ref<128xf32, gmem> -> f32
  }
  scf.if %x > 4 { // error: TG0302 `%x` is used as `i1`, but it is `!tg.ref<128xf32, gmem>`
    tg.block_sync
  } else {
    tg.block_sync
  }
  tg.nothing { // error: TG0003 dialect `tg` has no op `tg.nothing`
    %y = arith.constant 1
  }
  %z = arith.constant nothing // error: TG0006 `nothing` is no type
}
} // error: TG0001 unmatched `}`
tg.kernel @fourth() { // error@+1: TG0002 the region is not closed
