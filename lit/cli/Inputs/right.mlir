tg.kernel @copy_rows(%x: !tg.ref<1024xf32, gmem>, out %y: !tg.ref<1024xf32, gmem>) {
  %buf = tg.alloc : !tg.ref<128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %unused = arith.constant 7 : index
  tg.warp_specialize {
    role @producer warps 1 {
      tg.copy_gmem_to_smem %x[0] -> %buf, %full[0]
        : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
    }
    role @consumer {
      tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
      %v = tg.load %buf : !tg.ref<128xf32, smem> -> vector<128xf32>
      tg.store %v, %y[0] : vector<128xf32>, !tg.ref<1024xf32, gmem>
    }
  }
}
