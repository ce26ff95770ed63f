// Barriers that are taken for arrays, and the reverse.
tg.kernel @k(%x: !tg.ref<128xf32, gmem>, %i: index, %n: i32) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %v = tg.load %full : !tg.ref<2xi64, smem> -> vector<2xi64> // error: TG0101 `%full` is a reference to 2 barriers in shared memory, not an array
  %w = tg.load %buf : !tg.ref<128xf32, smem> -> vector<128xf32>
  tg.store %w, %full : vector<128xf32>, !tg.ref<128xf32, smem> // error: TG0102 `%full` is a reference to 2 barriers in shared memory, not an array
  %y = arith.addf %full, %full : vector<2xf32> // error: TG0103 `%full` is a reference to 2 barriers in shared memory, not an array
  tg.copy_gmem_to_smem %x -> %full, %full : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<2, arrivals = 1> // error: TG0102 `%full` is a reference to 2 barriers in shared memory, not an array
  tg.copy_gmem_to_smem %x -> %buf, %buf : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<2, arrivals = 1> // error: TG0106 `%buf` is no barrier: its type is `!tg.ref<128xf32, smem>`
  tg.barrier_wait %buf : !tg.barrier_ref<1, arrivals = 1> // error: TG0106 `%buf` is no barrier: its type is `!tg.ref<128xf32, smem>`
  tg.barrier_wait %i : !tg.barrier_ref<1, arrivals = 1> // error: TG0109 `%i` is no barrier: its type is `index`
  tg.barrier_wait %full[0] : !tg.barrier_ref<4, arrivals = 1> // error: TG0302 `%full` is used as `!tg.barrier_ref<4, arrivals = 1>`, but it is `!tg.barrier_ref<2, arrivals = 1>`
  tg.barrier_wait_parity %full[0], %n : !tg.barrier_ref<2, arrivals = 1> // error: TG0205 a parity is one bit, and `%n` is `i32`
  tg.barrier_wait_parity %full[0], %i : !tg.barrier_ref<2, arrivals = 1> // error: TG0205 a parity is one bit, and `%i` is `index`
  scf.if %n { // error: TG0302 `%n` is used as `i1`, but it is `i32`
  }
  tg.assert %i, "m" // error: TG0302 `%i` is used as `i1`, but it is `index`
  tg.barrier_wait %full[%n] : !tg.barrier_ref<2, arrivals = 1> // error: TG0302 `%n` is used as `index`, but it is `i32`
}
