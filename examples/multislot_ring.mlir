// A ring of four slots filled by TMA: the sum of sixteen rows.

tg.kernel @multislot_ring(in %x: !tg.ref<16x128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %buf = tg.alloc : !tg.ref<4x128xf32, smem>
  // One barrier for each slot. %full[0] is a barrier; %full as a whole is no array of them.
  %full = tg.alloc_barrier : !tg.barrier_ref<4, arrivals = 1>
  // Fill the ring.
  tg.copy_gmem_to_smem %x[0] -> %buf[0], %full[0]
    : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  tg.copy_gmem_to_smem %x[1] -> %buf[1], %full[1]
    : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  tg.copy_gmem_to_smem %x[2] -> %buf[2], %full[2]
    : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  tg.copy_gmem_to_smem %x[3] -> %buf[3], %full[3]
    : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
  %zero = arith.constant dense<0.0> : vector<128xf32>
  %total = scf.for %row = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (vector<128xf32>) {
    %slot = arith.remui %row, %c4 : index
    // Each lap of the ring is a phase of its own; the wait keeps count of them.
    tg.barrier_wait %full[%slot] : !tg.barrier_ref<4, arrivals = 1>
    %v = tg.load %buf[%slot] : !tg.ref<4x128xf32, smem> -> vector<128xf32>
    %more = arith.addf %sum, %v : vector<128xf32>
    // The slot is read: fill it with the row that is due next.
    %next = arith.addi %row, %c4 : index
    %is_row = arith.cmpi slt, %next, %c16 : index
    scf.if %is_row {
      tg.copy_gmem_to_smem %x[%next] -> %buf[%slot], %full[%slot]
        : !tg.ref<16x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<4, arrivals = 1>
    }
    scf.yield %more : vector<128xf32>
  }
  tg.store %total, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
}
