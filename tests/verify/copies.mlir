// What a TMA copy can do (OPEN_CASES 9.1), and who receives (12.1).
tg.kernel @swizzle(%x: !tg.ref<64x128xf16, gmem>) {
  %a = tg.alloc : !tg.ref<16x128xf16, smem, swizzle = 128>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0, 0] -> %a, %full[0] : !tg.ref<64x128xf16, gmem> -> !tg.ref<16x128xf16, smem, swizzle = 128>, !tg.barrier_ref<1, arrivals = 1> // error: TG0604 the innermost extent of the box is 256 bytes (128 elements of `f16`); a swizzle of 128 bytes allows at most 128
  // detail: make it 2 copies of 64 elements each on one barrier
  // detail: or take no swizzle
}
// -----
// twin: two loads on one barrier with the bytes of both expected
tg.kernel @swizzle_twin(%x: !tg.ref<64x128xf16, gmem>) {
  %a = tg.alloc : !tg.ref<2x16x64xf16, smem, swizzle = 128>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive_expect_tx %full[0] bytes 4096 : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0, 0] -> %a[0], %full[0] raw : !tg.ref<64x128xf16, gmem> -> !tg.ref<2x16x64xf16, smem, swizzle = 128>, !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0, 64] -> %a[1], %full[0] raw : !tg.ref<64x128xf16, gmem> -> !tg.ref<2x16x64xf16, smem, swizzle = 128>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
}
// -----
// tiles are a box of four dimensions
tg.kernel @tiled(%x: !tg.ref<512x512xf16, gmem>, %i: index) {
  %a = tg.alloc : !tg.ref<128x128xf16, smem, tile = [8, 64], swizzle = 128>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[%i, 0] -> %a, %full[0] : !tg.ref<512x512xf16, gmem> -> !tg.ref<128x128xf16, smem, tile = [8, 64], swizzle = 128>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %full[0] : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_smem_to_gmem %a -> %x[%i, 0] : !tg.ref<128x128xf16, smem, tile = [8, 64], swizzle = 128> -> !tg.ref<512x512xf16, gmem>
}
// -----
tg.kernel @rank(%x: !tg.ref<2x2x2x2x2x64xf16, gmem>, %y: !tg.ref<4x4x4x128x128xf16, gmem>) {
  %a = tg.alloc : !tg.ref<2x2x2x2x2x64xf16, smem>
  %b = tg.alloc : !tg.ref<128x128xf16, smem, tile = [8, 64], swizzle = 128>
  %f = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x -> %a, %f : !tg.ref<2x2x2x2x2x64xf16, gmem> -> !tg.ref<2x2x2x2x2x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0601 the copy has 6 dimensions; a TMA copy has 1 to 5
  tg.copy_gmem_to_smem %y[0, 0, 0] -> %b, %f : !tg.ref<4x4x4x128x128xf16, gmem> -> !tg.ref<128x128xf16, smem, tile = [8, 64], swizzle = 128>, !tg.barrier_ref<1, arrivals = 1> // error: TG0601 the copy has 5 dimensions, and its tile adds 2
}
// -----
tg.kernel @limits(%x: !tg.ref<1024x64xf16, gmem>, %y: !tg.ref<64x6xf16, gmem>, %z: !tg.ref<512x100xf16, gmem>, %w: !tg.ref<64x64xf16, gmem, strides = [64, 2]>, %i: index) {
  %a = tg.alloc : !tg.ref<512x64xf16, smem>
  %b = tg.alloc : !tg.ref<64x6xf16, smem>
  %c = tg.alloc : !tg.ref<64x96xf16, smem>
  %d = tg.alloc : !tg.ref<64x64xf16, smem>
  %e = tg.alloc : !tg.ref<64x64xf32, smem>
  %g = tg.alloc : !tg.ref<2x52xf32, smem>
  %h = tg.alloc : !tg.ref<2x64x64xf16, smem>
  %f = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0, 0] -> %a, %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<512x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0602 the box has extent 512 in dimension 0; a TMA copy moves 1 to 256 elements
  // detail: split it into 2 copies
  tg.copy_gmem_to_smem %y -> %b, %f : !tg.ref<64x6xf16, gmem> -> !tg.ref<64x6xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0603 6 elements of `f16`, 12 bytes; it has to be a multiple of 16 bytes
  // detail: pad it to 8 elements
  tg.copy_gmem_to_smem %z[0, 0] -> %c, %f : !tg.ref<512x100xf16, gmem> -> !tg.ref<64x96xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0605 the stride of dimension 0 of `%z` is 200 bytes; a TMA copy needs a multiple of 16
  tg.copy_gmem_to_smem %w -> %d, %f : !tg.ref<64x64xf16, gmem, strides = [64, 2]> -> !tg.ref<64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0605 the innermost stride of `%w` is 2 elements
  tg.copy_gmem_to_smem %x[0, 0] -> %e, %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<64x64xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0606 `%x` has elements of `f16` and `%e` of `f32`
  tg.copy_gmem_to_smem %x[0, 0] -> %h, %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<2x64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0607 the box [2, 64, 64] has 3 dimensions, and `%x` of shape [1024, 64] has 2
  tg.copy_gmem_to_smem %x[%i] -> %h[%i, 0], %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<2x64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x -> %h[%i], %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<2x64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0607 does not cover dimension 0 of `%x`
  tg.copy_gmem_to_smem %x[1024, 0] -> %h[1], %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<2x64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0404 elements 1024 to 1087 in dimension 0 of `%x`: the dimension has 1024
  tg.copy_gmem_to_smem %x[1000, 0] -> %h[1], %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<2x64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0, 0] -> %h[2], %f : !tg.ref<1024x64xf16, gmem> -> !tg.ref<2x64x64xf16, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0404 index 2 in dimension 0 of `%h`
  tg.barrier_wait %f : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @alignment(%x: !tg.ref<1024xf32, gmem>, %i: index) {
  %g = tg.alloc : !tg.ref<2x52xf32, smem>
  %h = tg.alloc at 64 : !tg.ref<64xf32, smem>
  %s = tg.alloc : !tg.ref<2x4x32xf32, smem, swizzle = 128>
  %f = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[%i] -> %g[%i], %f : !tg.ref<1024xf32, gmem> -> !tg.ref<2x52xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0608 has slots that are 208 bytes apart; a TMA copy starts at a multiple of 128 bytes
  tg.copy_gmem_to_smem %x[%i] -> %g[1], %f : !tg.ref<1024xf32, gmem> -> !tg.ref<2x52xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0608 starts at byte 208
  tg.copy_gmem_to_smem %x[%i] -> %g[0], %f : !tg.ref<1024xf32, gmem> -> !tg.ref<2x52xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[%i] -> %h, %f : !tg.ref<1024xf32, gmem> -> !tg.ref<64xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0608 starts at byte 64
  %p = tg.at %s[%i] : !tg.ref<2x4x32xf32, smem, swizzle = 128> to !tg.ref<4x32xf32, smem, swizzle = 128>
  %q = tg.at %p[0] : !tg.ref<4x32xf32, smem, swizzle = 128> to !tg.ref<32xf32, smem, swizzle = 128>
  tg.copy_gmem_to_smem %x[%i] -> %q, %f : !tg.ref<1024xf32, gmem> -> !tg.ref<32xf32, smem, swizzle = 128>, !tg.barrier_ref<1, arrivals = 1> // error: TG0608 has slots that are 512 bytes apart; a swizzle of 128 bytes repeats after 1024 bytes
  tg.barrier_wait %f : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @multicast(%x: !tg.ref<1024xf32, gmem>) cluster ["c" = 2, "d" = 2] {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %f = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %cb = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]>
  tg.copy_gmem_to_smem %x[0] -> %a, %f multicast [] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 attribute `multicast` is []; it names at least one block
  tg.copy_gmem_to_smem %x[0] -> %a, %f multicast [0, 0] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 0 is named twice
  tg.copy_gmem_to_smem %x[0] -> %a, %f multicast [1, 0] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 0 is out of order
  tg.copy_gmem_to_smem %x[0] -> %a, %f multicast [0, 4] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 there is no block 4 in a cluster of 4
  tg.copy_gmem_to_smem %x[0] -> %a, %f collective ["e"] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 no axis "e"; its axes are "c", "d"
  tg.copy_gmem_to_smem %x[0] -> %a, %f collective ["c", "c"] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 names axis "c" twice
  tg.copy_gmem_to_smem %x[0] -> %a, %cb : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1, cluster = ["c"]> // error: TG0210 the copy completes on `%cb`, a reference to one cluster barrier
  tg.copy_gmem_to_smem %x[0] -> %a, %f multicast [0, 1] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0] -> %a, %f collective ["c", "d"] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait %f : !tg.barrier_ref<1, arrivals = 1>
}
// -----
tg.kernel @no_cluster(%x: !tg.ref<1024xf32, gmem>) {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %f = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0] -> %a, %f multicast [0] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 this kernel has no cluster
}
// -----
tg.kernel @uneven(%x: !tg.ref<1024xf32, gmem>) cluster ["c" = 3] {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %f = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.copy_gmem_to_smem %x[0] -> %a, %f collective ["c"] : !tg.ref<1024xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1> // error: TG0609 the box [128] cannot be divided among the 3 blocks
}
