// target: sm_90a
// A correct kernel of two roles: no diagnostic is due anywhere in this file.
tg.kernel @ring(in %x: !tg.ref<1024xf32, gmem>, out %y: !tg.ref<1024xf32, gmem>) grid ["i" = 4] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %buf = tg.alloc : !tg.ref<2x128xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %empty = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  tg.warp_specialize {
  role @producer warps 1 {
    %i = tg.axis_index "i" : index
    scf.for %k = %c0 to %c8 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %reuse = arith.cmpi uge, %k, %c2 : index
      scf.if %reuse {
        tg.barrier_wait %empty[%slot] : !tg.barrier_ref<2, arrivals = 1>
      }
      %off = arith.muli %k, %c128 : index
      tg.copy_gmem_to_smem %x[%off] -> %buf[%slot], %full[%slot] : !tg.ref<1024xf32, gmem> -> !tg.ref<2x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
    }
  }
  role @consumer {
    scf.for %k = %c0 to %c8 step %c1 {
      %slot = arith.remui %k, %c2 : index
      tg.barrier_wait %full[%slot] : !tg.barrier_ref<2, arrivals = 1>
      %v = tg.load %buf[%slot] : !tg.ref<2x128xf32, smem> -> vector<128xf32>
      tg.barrier_arrive %empty[%slot] : !tg.barrier_ref<2, arrivals = 1>
      %w = arith.addf %v, %v : vector<128xf32>
      %off = arith.muli %k, %c128 : index
      tg.store %w, %y[%off] : vector<128xf32>, !tg.ref<1024xf32, gmem>
    }
  }
  }
}
// -----
// OPEN_CASES 1.1 and 1.2, twins: references go into inner regions, parts are indexed there.
tg.kernel @parts() {
  %g = tg.alloc_barrier : !tg.barrier_ref<2x4, arrivals = 1>
  %b = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  %row = tg.at %g[1] : !tg.barrier_ref<2x4, arrivals = 1> to !tg.barrier_ref<4, arrivals = 1>
  %one = tg.at %g[1, 2] : !tg.barrier_ref<2x4, arrivals = 1> to !tg.barrier_ref<arrivals = 1>
  %two = tg.subview %b[1] [2] : !tg.barrier_ref<3, arrivals = 1> to !tg.barrier_ref<2, arrivals = 1>
  %c = arith.constant true
  scf.if %c {
    tg.barrier_arrive %one : !tg.barrier_ref<arrivals = 1>
    tg.barrier_arrive %g[1, 3] : !tg.barrier_ref<2x4, arrivals = 1>
    tg.barrier_arrive %row[0] : !tg.barrier_ref<4, arrivals = 1>
    tg.barrier_wait %g[1, 2] : !tg.barrier_ref<2x4, arrivals = 1>
    tg.barrier_arrive %two[1] : !tg.barrier_ref<2, arrivals = 1>
    tg.barrier_wait %two[1] : !tg.barrier_ref<2, arrivals = 1>
  }
}
