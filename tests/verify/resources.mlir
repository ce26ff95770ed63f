// target: sm_90a
// Shared memory over the limit (OPEN_CASES 10.1).
tg.kernel @smem() {
  %a = tg.alloc : !tg.ref<8x128x64xf16, smem> // error: TG0701 the kernel needs 262272 bytes of shared memory; sm_90a allows 232448
  // detail: 131072 bytes  `%a`
  // detail: 128 bytes  16 barriers
  // detail: alignment padding
  // detail: compiler scratch
  // detail: 7 stages would fit in place of 8: `%a`, `%b`, `%full`, `%empty`
  %b = tg.alloc : !tg.ref<8x128x64xf16, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<8, arrivals = 1>
  %empty = tg.alloc_barrier : !tg.barrier_ref<8, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<8, arrivals = 1>
  tg.barrier_wait %empty[0] : !tg.barrier_ref<8, arrivals = 1>
}
// -----
// target: sm_90a
tg.kernel @smem_twin() {
  %a = tg.alloc : !tg.ref<7x128x64xf16, smem>
  %b = tg.alloc : !tg.ref<7x128x64xf16, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<7, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<7, arrivals = 1>
}
// -----
// target: sm_90a
tg.kernel @one_stage() {
  %a = tg.alloc : !tg.ref<2x512x256xf16, smem> // error: TG0701 needs 524288 bytes
  // detail: not even one stage
}
// -----
// target: sm_90a
tg.kernel @no_tmem() {
  %a = tg.alloc : !tg.ref<128x128xf32, tmem> // error: TG0802 which sm_90a does not have
}
// -----
// target: sm_100a
tg.kernel @tmem() {
  %a = tg.alloc : !tg.ref<128x600xf32, tmem> // error: TG0702 600 columns of tensor memory, 1024 after rounding up to a power of two; there are 512
}
// -----
// target: sm_100a
tg.kernel @tmem_twin() {
  %a = tg.alloc : !tg.ref<128x256xf32, tmem>
  %b = tg.alloc : !tg.ref<128x512xbf16, tmem, packed>
}
// -----
// target: sm_90a
tg.kernel @threads() threads ["wg" = 9] { // error: TG0704 1152 CUDA threads (36 warps); at most 1024
}
tg.kernel @threads_twin() threads ["wg" = 8] { }
// -----
// target: sm_90a
tg.kernel @roles() { // error: TG0704 1152 CUDA threads
  tg.warp_specialize {
  role @a threads ["wg" = 8] { tg.return }
  role @b { tg.return }
  }
}
// -----
// target: sm_90a
tg.kernel @cluster() grid ["i" = 64] cluster ["x" = 32] { // error: TG0705 a cluster of 32 blocks
}
tg.kernel @cluster_none() cluster ["x" = 0] { // error: TG0705 attribute `cluster`: axis "x" has extent 0; an extent is at least 1
}
tg.kernel @cluster_grid() grid ["i" = 7] cluster ["x" = 2] {
}
tg.kernel @cluster_twin() grid ["i" = 64] cluster ["x" = 8] { }
tg.kernel @grid_none() grid ["i" = 0] { // error: TG0706 attribute `grid`: axis "i" has extent 0
}
tg.kernel @grid_large() grid ["j" = 70000, "i" = 8] { // error: TG0706 the grid has 70000 blocks along y; at most 65535 are possible
}
tg.kernel @grid_twin() grid ["k" = 4, "j" = ?, "i" = 70000] { }
