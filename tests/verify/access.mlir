// Array refs: spaces, shapes by the index rule, element types, bounds.
tg.kernel @shapes(%x: !tg.ref<?x128xf32, gmem>, %i: index) {
  %buf = tg.alloc : !tg.ref<2x128xf32, smem>
  %t = tg.alloc : !tg.ref<128x128xf32, tmem>
  %0 = tg.load %buf : !tg.ref<2x128xf32, smem> -> vector<128xf32> // error: TG0402 the array loaded of shape [128] does not cover dimension 0 of `%buf`, which has extent 2
  // detail: give an index
  %1 = tg.load %buf[%i] : !tg.ref<2x128xf32, smem> -> vector<64xf32> // error: TG0402 does not cover dimension 1
  %2 = tg.load %buf[%i, 0, 0] : !tg.ref<2x128xf32, smem> -> f32 // error: TG0402 3 indices for `%buf` of shape [2, 128], which has 2 dimensions
  %3 = tg.load %buf[2] : !tg.ref<2x128xf32, smem> -> vector<128xf32> // error: TG0404 index 2 in dimension 0 of `%buf`: the dimension has 2
  %4 = tg.load %buf[1, 96] : !tg.ref<2x128xf32, smem> -> vector<64xf32> // error: TG0404 elements 96 to 159 in dimension 1 of `%buf`: the dimension has 128
  %5 = tg.load %buf[-1] : !tg.ref<2x128xf32, smem> -> vector<128xf32> // error: TG0404 index -1
  %6 = tg.load %buf[%i] : !tg.ref<2x128xf32, smem> -> vector<128xf16> // error: TG0403 `%buf` has elements of type `f32`, and the array loaded has `f16`
  %7 = tg.load %buf[%i, 0] : !tg.ref<2x128xf32, smem> -> vector<256xf32> // error: TG0402 does not fit `%buf` of shape [2, 128]: extent 256 over 128 in dimension 1
  %8 = tg.load %buf : !tg.ref<2x128xf32, smem> -> vector<1x2x128xf32> // error: TG0402 the array loaded has 3 dimensions
  %9 = tg.load %t : !tg.ref<128x128xf32, tmem> -> vector<128x128xf32> // error: TG0401 is in tensor memory
  %10 = tg.load %x : !tg.ref<?x128xf32, gmem> -> vector<4x128xf32> // error: TG0402 which has an extent known only at run time
  %11 = tg.load %x[%i] : !tg.ref<?x128xf32, gmem> -> vector<4x128xf32>
  %12 = tg.load %x[-2] : !tg.ref<?x128xf32, gmem> -> vector<4x128xf32> // error: TG0404 indices start at 0
  %13 = tg.load %buf[%i, 3] : !tg.ref<2x128xf32, smem> -> f32
  %14 = tg.load %buf[%i, 64] : !tg.ref<2x128xf32, smem> -> vector<64xf32>
  tg.store %11, %buf[0] : vector<4x128xf32>, !tg.ref<2x128xf32, smem> // error: TG0402 extent 4 over 2 in dimension 0
}
// -----
tg.kernel @spaces(%x: !tg.ref<128xf32, gmem>) {
  %b = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  "tg.copy_gmem_to_smem"(%x, %x, %b) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 1, 0, 0>}> : (!tg.ref<128xf32, gmem>, !tg.ref<128xf32, gmem>, !tg.barrier_ref<1, arrivals = 1>) -> () // error: TG0401 takes `dest` in shared memory, but `%x` is in global memory
  %g = "tg.alloc"() : () -> !tg.ref<128xf32, gmem> // error: TG0401 is in global memory
  %d = tg.dim %x, 1 : !tg.ref<128xf32, gmem> // error: TG0304 attribute `dimension` of `tg.dim` is 1; `%x` has 1 dimension
  %e = tg.dim %x, 0 : !tg.ref<128xf32, gmem>
}
// -----
tg.kernel @params(%a: !tg.ref<8xf32, smem>) { // error: TG0401 parameter `%a` is a reference to shared memory
}
tg.kernel @params2(%a: vector<8xf32>) { // error: TG0302 parameter `%a` has type `vector<8xf32>`
}
tg.kernel @params3(out %a: f32) { // error: TG0302 parameter `%a` is marked `out` and is a number
}
// -----
tg.kernel @parts(%x: !tg.ref<?x?xf16, gmem>, %y: !tg.ref<64x128xf16, gmem>, %i: index) {
  %a = tg.alloc : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128>
  %0 = tg.at %a[%i] : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<64x64xf16, smem, tile = [8, 64], swizzle = 128>
  %1 = tg.at %a[%i] : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<64x64xf16, smem> // error: TG0303 this part of `%a` is a reference of shape [64, 64] to shared memory with tile [8, 64] with swizzle 128
  %2 = tg.at %a[0, 0] : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<64xf16, smem> // error: TG0405 an index goes into the tiles of `%a`
  %3 = tg.at %a[4] : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<64x64xf16, smem, tile = [8, 64], swizzle = 128> // error: TG0404 index 4
  %4 = tg.subview %y[32, 0] [16, 128] : !tg.ref<64x128xf16, gmem> to !tg.ref<16x128xf16, gmem>
  %5 = tg.subview %y[0, 64] [64, 64] : !tg.ref<64x128xf16, gmem> to !tg.ref<64x64xf16, gmem, strides = [128, 1]>
  %6 = tg.subview %y[0, 64] [64, 64] : !tg.ref<64x128xf16, gmem> to !tg.ref<64x64xf16, gmem> // error: TG0303 with strides [128, 1]
  %7 = tg.subview %x[%i, 0] [64, 64] : !tg.ref<?x?xf16, gmem> to !tg.ref<64x64xf16, gmem, strides = [?, 1]>
  %8 = tg.subview %y[0, 65] [64, 64] : !tg.ref<64x128xf16, gmem> to !tg.ref<64x64xf16, gmem, strides = [128, 1]> // error: TG0404 elements 65 to 128
  %9 = tg.subview %y[0] [64] : !tg.ref<64x128xf16, gmem> to !tg.ref<64xf16, gmem> // error: TG0304 attribute `sizes` of `tg.subview` has 1 entry
  %10 = tg.subview %a[0, 0, 0] [1, 16, 64] : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<1x16x64xf16, smem, tile = [8, 64], swizzle = 128>
  %11 = tg.subview %a[0, 4, 0] [1, 16, 64] : !tg.ref<4x64x64xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<1x16x64xf16, smem, tile = [8, 64], swizzle = 128> // error: TG0405 whole tiles
  %12 = tg.subview %y[0, 0] [0, 64] : !tg.ref<64x128xf16, gmem> to !tg.ref<64x64xf16, gmem> // error: TG0304 has 0 in dimension 0
}
// -----
tg.kernel @alloc() {
  %a = tg.alloc : !tg.ref<128x64xf32, smem, tile = [8, 64], swizzle = 128> // error: TG0405 a row of the tile has 256 bytes, and a swizzle of 128 spans 128
  %b = "tg.alloc"() <{alignment = 48 : i64}> : () -> !tg.ref<8xf32, smem> // error: TG0304 attribute `alignment` of `tg.alloc` is 48
  %c = "tg.alloc"() <{offset = -8 : i64}> : () -> !tg.ref<8xf32, smem> // error: TG0304 attribute `offset` of `tg.alloc` is -8
  %d = "tg.alloc"() <{offset = 0 : i64}> : () -> !tg.acc<64x64xf32> // error: TG0304 is in registers
  %e = "tg.alloc_barrier"() <{offset = 4 : i64}> : () -> !tg.barrier_ref<1, arrivals = 1> // error: TG0304 barriers lie at multiples of 8
}
