// Types that cannot be read, and types that cannot be.
"x.y"() : () -> f33 // error: TG0006 `f33` is no type
"x.y"() : () -> int // error: TG0006 `int` is no type
"x.y"() : () -> i0 // error: TG0006 an integer type has 1 to 16777215 bits, not 0
"x.y"() : () -> i99999999 // error: TG0006 an integer type has 1 to 16777215 bits, not 99999999
"x.y"() : () -> !tg.reff<4xf32, smem> // error: TG0006 dialect `tg` has no type `!tg.reff`
"x.y"() : () -> !tg.barrier<4> // error: TG0006 dialect `tg` has no type `!tg.barrier`
"x.y"() : () -> !unknown // error: TG0012 type alias `!unknown` is not defined
"x.y"() : () -> vector<4> // error: TG0002 expected `x` behind an extent, as in `128x64xf32`, found `>`
"x.y"() : () -> vector<4xf32 // error: TG0002 expected `>` after the element type, found the end of the line
"x.y"() : () -> vector<0xf32> // error: TG0006 dimension 0 has extent 0; an extent is at least 1
"x.y"() : () -> vector<?xf32> // error: TG0406 dimension 0 is dynamic (`?`); only refs to global memory may have dynamic dimensions
"x.y"() : () -> vector<-4xf32> // error: TG0006 an extent is at least 1, not -4
"x.y"() : () -> vector<4x4 f32> // error: TG0002 expected `x` behind an extent, as in `128x64xf32`, found `f32`
"x.y"() : () -> vector<4x!tg.barrier_ref<1, arrivals = 1>> // error: TG0103 `!tg.barrier_ref<1, arrivals = 1>` is a barrier reference and cannot be the element of an array; a group of barriers is one type, `!tg.barrier_ref<4, arrivals = 1>`
"x.y"() : () -> vector<4xvector<4xf32>> // error: TG0407 `vector<4xf32>` cannot be an element type; an element is an integer, `index` or floating-point type
"x.y"() : () -> vector<99999999999999999999xf32> // error: TG0008 the extent is too large
"x.y"() : () -> vector<4294967296x4294967296xf32> // error: TG0006 the shape has more elements than 63 bits can count
"x.y"() : () -> !tg.ref<2x128xf32> // error: TG0002 expected `,` and the memory space, as in `!tg.ref<128xf32, smem>`, found `>`
"x.y"() : () -> !tg.ref<2x128xf32, global> // error: TG0002 expected a memory space: `gmem`, `smem` or `tmem`, found `global`
"x.y"() : () -> !tg.ref<2x128xf32, smem, swizle = 64> // error: TG0002 expected an option of a ref: `strides`, `tile`, `swizzle`, `packed`, `collective` or `layout`, found `swizle`
"x.y"() : () -> !tg.ref<2x128xf32, smem, swizzle = 48> // error: TG0405 a swizzle spans 32, 64 or 128 bytes, not 48
"x.y"() : () -> !tg.ref<2x128xf32, smem, swizzle 64> // error: TG0002 expected `=` behind `swizzle`, found the number `64`
"x.y"() : () -> !tg.ref<2x?xf32, smem> // error: TG0406 dimension 1 is dynamic (`?`); only refs to global memory may have dynamic dimensions
"x.y"() : () -> !tg.ref<2x128xf32, gmem, tile = [8]> // error: TG0405 `tile` is a transform of shared memory; a ref to global memory cannot have it
"x.y"() : () -> !tg.ref<2x128xf32, smem, tile = [3]> // error: TG0405 tile extent 3 does not divide dimension 1 of extent 128
"x.y"() : () -> !tg.ref<2x128xf32, smem, tile = [1, 1, 1]> // error: TG0405 a tile of rank 3 does not fit a shape of rank 2
"x.y"() : () -> !tg.ref<2x128xf32, smem, tile = [8], strides = [1, 1]> // error: TG0405 `strides` and `tile` both say where elements lie; give one of them
"x.y"() : () -> !tg.ref<2x128xf32, gmem, strides = [1]> // error: TG0006 1 strides for a shape of rank 2
"x.y"() : () -> !tg.ref<2x128xf32, gmem, strides = [-1, 1]> // error: TG0006 stride 0 is -1; a stride is at least 0
"x.y"() : () -> !tg.ref<128x128xf32, tmem, swizzle = 128> // error: TG0907 `swizzle` is a transform of shared memory; a ref to tensor memory cannot have it
"x.y"() : () -> !tg.ref<128x128xf16, tmem> // error: TG0908 tensor memory has 32-bit columns; elements of 16 bits need `packed` or a `layout`
"x.y"() : () -> !tg.ref<128x128xf16, tmem, packed, layout = "l"> // error: TG0906 `packed` and `layout` both fix the layout; give one of them
"x.y"() : () -> !tg.ref<128x128xf32, smem, collective> // error: TG0905 `collective` is an option of tensor memory; a ref to shared memory cannot have it
"x.y"() : () -> !tg.ref<32x128xf32, tmem> // error: TG0006 a tensor memory ref has two dimensions and 64 or 128 rows; this one has shape [32, 128]
"x.y"() : () -> !tg.ref<2x!tg.barrier_ref<1, arrivals = 1>, smem> // error: TG0103 `!tg.barrier_ref<1, arrivals = 1>` is a barrier reference and cannot be the element of an array; a group of barriers is one type, `!tg.barrier_ref<4, arrivals = 1>`
"x.y"() : () -> !tg.barrier_ref<0, arrivals = 1> // error: TG0204 a barrier group has at least one barrier, but dimension 0 has extent 0
"x.y"() : () -> !tg.barrier_ref<-1, arrivals = 1> // error: TG0204 a barrier group has at least one barrier, but dimension 0 has extent -1
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 0> // error: TG0203 a barrier needs 1 to 1048575 arrivals to complete a phase, not 0
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 1048576> // error: TG0203 a barrier needs 1 to 1048575 arrivals to complete a phase, not 1048576
"x.y"() : () -> !tg.barrier_ref<4> // error: TG0002 expected `,` and the arrivals, as in `!tg.barrier_ref<4, arrivals = 1>`, found `>`
"x.y"() : () -> !tg.barrier_ref<4, 1> // error: TG0002 expected `arrivals` and the number of arrivals to a phase, found the number `1`
"x.y"() : () -> !tg.barrier_ref // error: TG0002 expected `<` behind `!tg.barrier_ref`, found the end of the line
"x.y"() : () -> !tg.barrier_ref<4xf32, arrivals = 1> // error: TG0002 expected the shape of the group, as `4` or `2x4`, found `f32`
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 1, smem> // error: TG0002 expected an option of a barrier ref: `orders_tensor_core`, `cluster = [...]` or `leader_tracked`, found `smem`
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 1, leader_tracked> // error: TG0207 `leader_tracked` belongs to cluster barriers; name the axes with `cluster = [...]`
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 1, cluster = "x"> // error: TG0002 the axes of a cluster barrier are a list
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 1, cluster = []> // error: TG0207 a cluster barrier names at least one cluster axis, as in `cluster = ["x"]`
"x.y"() : () -> !tg.barrier_ref<4, arrivals = 1, cluster = ["x", "x"]> // error: TG0207 cluster axis "x" is named twice
"x.y"() : () -> !tg.barrier_ref<40000, arrivals = 1> // error: TG0204 the group has more than 29056 barriers, which is what fits into a block's shared memory
"x.y"() : () -> !tg.acc<63x8xf32> // error: TG0006 an accumulator has a multiple of 64 rows and 8 to 256 columns in steps of 8, not 63x8
"x.y"() : () -> !tg.acc<64xf32> // error: TG0006 an accumulator has two dimensions, this one has 1
"x.y"() : () -> !tg.semaphore_ref<0> // error: TG0006 dimension 0 has extent 0; an extent is at least 1
"x.y"() : () -> !llvm.struct<(i32 // error: TG0009 the `<` behind this name has no matching `>`
"x.y"() : () -> memref<4xf32 // error: TG0009 the `<` behind this name has no matching `>`
"x.y"() : () -> (i32 // error: TG0002 expected `,` or `)` in the result types, found the end of the line
"x.y"() : () -> i32, i32 // error: TG0002 expected an op, found `,`
