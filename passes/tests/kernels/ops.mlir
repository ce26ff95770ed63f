// One kernel for each group of ops, to be lowered and, where there is a PTX machine or a GPU, to be compared.

// Element-wise arithmetic; a number of elements that is no multiple of 128, so the last lanes are masked.
tg.kernel @partial(in %x: !tg.ref<300xf32, gmem>, in %y: !tg.ref<300xf32, gmem>, out %o: !tg.ref<300xf32, gmem>) {
  %v = tg.load %x : !tg.ref<300xf32, gmem> -> vector<300xf32>
  %w = tg.load %y : !tg.ref<300xf32, gmem> -> vector<300xf32>
  %less = arith.cmpf olt, %v, %w : vector<300xf32>
  %sum = arith.addf %v, %w : vector<300xf32>
  %product = arith.mulf %v, %w : vector<300xf32>
  %r = arith.select %less, %sum, %product : vector<300xi1>, vector<300xf32>
  tg.store %r, %o : vector<300xf32>, !tg.ref<300xf32, gmem>
}

// Half precision, wide accesses.
tg.kernel @halves(in %x: !tg.ref<64x128xf16, gmem>, out %o: !tg.ref<64x128xbf16, gmem>) {
  %v = tg.load %x : !tg.ref<64x128xf16, gmem> -> vector<64x128xf16>
  %w = arith.addf %v, %v : vector<64x128xf16>
  %s = arith.extf %w : vector<64x128xf16> to vector<64x128xf32>
  %b = arith.truncf %s : vector<64x128xf32> to vector<64x128xbf16>
  tg.store %b, %o : vector<64x128xbf16>, !tg.ref<64x128xbf16, gmem>
}

// Integers.
tg.kernel @integers(in %x: !tg.ref<256xi32, gmem>, in %y: !tg.ref<256xi32, gmem>, out %o: !tg.ref<12x256xi32, gmem>) {
  %a = tg.load %x : !tg.ref<256xi32, gmem> -> vector<256xi32>
  %b = tg.load %y : !tg.ref<256xi32, gmem> -> vector<256xi32>
  %r0 = arith.addi %a, %b : vector<256xi32>
  %r1 = arith.subi %a, %b : vector<256xi32>
  %r2 = arith.muli %a, %b : vector<256xi32>
  %r3 = arith.divsi %a, %b : vector<256xi32>
  %r4 = arith.remui %a, %b : vector<256xi32>
  %r5 = arith.floordivsi %a, %b : vector<256xi32>
  %r6 = arith.ceildivsi %a, %b : vector<256xi32>
  %r7 = arith.maxsi %a, %b : vector<256xi32>
  %r8 = arith.xori %a, %b : vector<256xi32>
  %c = arith.cmpi slt, %a, %b : vector<256xi32>
  %r9 = arith.extui %c : vector<256xi1> to vector<256xi32>
  %r10 = math.ctpop %a : vector<256xi32>
  %r11 = math.absi %a : vector<256xi32>
  tg.store %r0, %o[0] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r1, %o[1] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r2, %o[2] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r3, %o[3] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r4, %o[4] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r5, %o[5] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r6, %o[6] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r7, %o[7] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r8, %o[8] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r9, %o[9] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r10, %o[10] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
  tg.store %r11, %o[11] : vector<256xi32>, !tg.ref<12x256xi32, gmem>
}

// Functions.
tg.kernel @functions(in %x: !tg.ref<128xf32, gmem>, in %y: !tg.ref<128xf32, gmem>, out %o: !tg.ref<22x128xf32, gmem>) {
  %a = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %b = tg.load %y : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %r0 = math.absf %a : vector<128xf32>
  %r1 = math.ceil %a : vector<128xf32>
  %r2 = math.floor %a : vector<128xf32>
  %r3 = math.trunc %a : vector<128xf32>
  %r4 = math.round %a : vector<128xf32>
  %r5 = math.roundeven %a : vector<128xf32>
  %r6 = math.sqrt %b : vector<128xf32>
  %r7 = math.copysign %a, %b : vector<128xf32>
  %r8 = math.fma %a, %b, %a : vector<128xf32>
  %r9 = math.exp2 %a : vector<128xf32>
  %r10 = math.exp %a : vector<128xf32>
  %r11 = math.log2 %b : vector<128xf32>
  %r12 = math.log %b : vector<128xf32>
  %r13 = math.log10 %b : vector<128xf32>
  %r14 = math.rsqrt %b : vector<128xf32>
  %r15 = math.sin %a : vector<128xf32>
  %r16 = math.cos %a : vector<128xf32>
  %r17 = math.tanh %a : vector<128xf32>
  %r18 = math.powf %b, %a : vector<128xf32>
  %r19 = math.erf %a : vector<128xf32>
  %r20 = arith.maxnumf %a, %b : vector<128xf32>
  %r21 = arith.minimumf %a, %b : vector<128xf32>
  tg.store %r0, %o[0] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r1, %o[1] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r2, %o[2] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r3, %o[3] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r4, %o[4] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r5, %o[5] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r6, %o[6] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r7, %o[7] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r8, %o[8] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r9, %o[9] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r10, %o[10] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r11, %o[11] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r12, %o[12] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r13, %o[13] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r14, %o[14] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r15, %o[15] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r16, %o[16] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r17, %o[17] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r18, %o[18] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r19, %o[19] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r20, %o[20] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
  tg.store %r21, %o[21] : vector<128xf32>, !tg.ref<22x128xf32, gmem>
}

// Reductions to a number, of whole and partial arrays.
tg.kernel @reductions(in %x: !tg.ref<512xf32, gmem>, in %i: !tg.ref<200xi32, gmem>, out %o: !tg.ref<2xf32, gmem>, out %p: !tg.ref<3xi32, gmem>) {
  %start = arith.constant 1.0 : f32
  %a = tg.load %x : !tg.ref<512xf32, gmem> -> vector<512xf32>
  %b = tg.load %i : !tg.ref<200xi32, gmem> -> vector<200xi32>
  %sum = vector.reduction <add>, %a, %start : vector<512xf32> into f32
  %max = vector.reduction <maximumf>, %a : vector<512xf32> into f32
  %isum = vector.reduction <add>, %b : vector<200xi32> into i32
  %imin = vector.reduction <minsi>, %b : vector<200xi32> into i32
  %iand = vector.reduction <and>, %b : vector<200xi32> into i32
  tg.store %sum, %o[0] : f32, !tg.ref<2xf32, gmem>
  tg.store %max, %o[1] : f32, !tg.ref<2xf32, gmem>
  tg.store %isum, %p[0] : i32, !tg.ref<3xi32, gmem>
  tg.store %imin, %p[1] : i32, !tg.ref<3xi32, gmem>
  tg.store %iand, %p[2] : i32, !tg.ref<3xi32, gmem>
}

// What moves elements between lanes.
tg.kernel @moves(in %x: !tg.ref<32x48xf32, gmem>, out %t: !tg.ref<48x32xf32, gmem>, out %r: !tg.ref<32xf32, gmem>, out %c: !tg.ref<48xf32, gmem>, out %b: !tg.ref<32x48xf32, gmem>, out %f: !tg.ref<1536xf32, gmem>) {
  %a = tg.load %x : !tg.ref<32x48xf32, gmem> -> vector<32x48xf32>
  %transposed = vector.transpose %a, [1, 0] : vector<32x48xf32> to vector<48x32xf32>
  tg.store %transposed, %t : vector<48x32xf32>, !tg.ref<48x32xf32, gmem>
  %zero_rows = arith.constant dense<0.0> : vector<32xf32>
  %rows = vector.multi_reduction <add>, %a, %zero_rows [1] : vector<32x48xf32> to vector<32xf32>
  tg.store %rows, %r : vector<32xf32>, !tg.ref<32xf32, gmem>
  %low = arith.constant dense<-1000.0> : vector<48xf32>
  %columns = vector.multi_reduction <maximumf>, %a, %low [0] : vector<32x48xf32> to vector<48xf32>
  tg.store %columns, %c : vector<48xf32>, !tg.ref<48xf32, gmem>
  %spread = vector.broadcast %columns : vector<48xf32> to vector<32x48xf32>
  %normal = arith.subf %a, %spread : vector<32x48xf32>
  tg.store %normal, %b : vector<32x48xf32>, !tg.ref<32x48xf32, gmem>
  %flat = vector.shape_cast %a : vector<32x48xf32> to vector<1536xf32>
  tg.store %flat, %f : vector<1536xf32>, !tg.ref<1536xf32, gmem>
}

// Control flow with arrays and numbers: the sum of the first rows, Collatz steps of a number.
tg.kernel @control(in %x: !tg.ref<16x128xf32, gmem>, in %n: !tg.ref<1xi32, gmem>, out %o: !tg.ref<128xf32, gmem>, out %s: !tg.ref<1xi32, gmem>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<128xf32>
  %odd = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %none = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (vector<128xf32>) {
    %half = arith.remui %i, %c16 : index
    %c8 = arith.constant 8 : index
    %early = arith.cmpi ult, %half, %c8 : index
    %row = tg.load %x[%i] : !tg.ref<16x128xf32, gmem> -> vector<128xf32>
    %next = scf.if %early -> (vector<128xf32>) {
      %added = arith.addf %acc, %row : vector<128xf32>
      scf.yield %added : vector<128xf32>
    } else {
      scf.yield %acc : vector<128xf32>
    }
    scf.yield %next : vector<128xf32>
  }
  tg.store %sum, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
  %first = tg.load %n[0] : !tg.ref<1xi32, gmem> -> i32
  %steps:2 = scf.while (%value = %first, %count = %none) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %value, %odd : i32
    scf.condition(%more) %value, %count : i32, i32
  } do {
  ^bb0(%value: i32, %count: i32):
    %bit = arith.andi %value, %odd : i32
    %is_odd = arith.cmpi eq, %bit, %odd : i32
    %tripled = arith.muli %value, %three : i32
    %up = arith.addi %tripled, %odd : i32
    %down = arith.shrsi %value, %odd : i32
    %after = arith.select %is_odd, %up, %down : i32
    %counted = arith.addi %count, %odd : i32
    scf.yield %after, %counted : i32, i32
  }
  tg.store %steps#1, %s[0] : i32, !tg.ref<1xi32, gmem>
}

// A matrix of any size, with a scale; each block takes a row.
tg.kernel @dynamic(in %x: !tg.ref<?x?xf32, gmem>, out %o: !tg.ref<?x?xf32, gmem>, %scale: f32, %limit: index) grid ["row" = ?] {
  %row = tg.axis_index "row" : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %columns = tg.dim %x, 1 : !tg.ref<?x?xf32, gmem>
  %some = arith.minui %columns, %limit : index
  %s = vector.broadcast %scale : f32 to vector<128xf32>
  scf.for %at = %c0 to %some step %c128 {
    %v = tg.load %x[%row, %at] : !tg.ref<?x?xf32, gmem> -> vector<128xf32>
    %w = arith.mulf %v, %s : vector<128xf32>
    tg.store %w, %o[%row, %at] : vector<128xf32>, !tg.ref<?x?xf32, gmem>
  }
}

// Four axes of the grid.
tg.kernel @axes(out %o: !tg.ref<2x3x4x5x4xi32, gmem>) grid ["a" = 2, "b" = 3, "c" = 4, "d" = 5] {
  %a = tg.axis_index "a" : index
  %b = tg.axis_index "b" : index
  %c = tg.axis_index "c" : index
  %d = tg.axis_index "d" : index
  %ai = arith.index_cast %a : index to i32
  %bi = arith.index_cast %b : index to i32
  %ci = arith.index_cast %c : index to i32
  %di = arith.index_cast %d : index to i32
  tg.store %ai, %o[%a, %b, %c, %d, 0] : i32, !tg.ref<2x3x4x5x4xi32, gmem>
  tg.store %bi, %o[%a, %b, %c, %d, 1] : i32, !tg.ref<2x3x4x5x4xi32, gmem>
  tg.store %ci, %o[%a, %b, %c, %d, 2] : i32, !tg.ref<2x3x4x5x4xi32, gmem>
  tg.store %di, %o[%a, %b, %c, %d, 3] : i32, !tg.ref<2x3x4x5x4xi32, gmem>
}

// A tiled, swizzled ring between a warp and two warpgroups that give it registers back.
tg.kernel @tiles(in %x: !tg.ref<256x128xf16, gmem>, out %o: !tg.ref<256x128xf16, gmem>) grid ["g" = 2] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %in = tg.alloc : !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>
  %out = tg.alloc : !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  %g = tg.axis_index "g" : index
  %base = arith.muli %g, %c128 : index
  tg.warp_specialize {
    role @workers threads ["half" = 2] registers 240 {
      %half = tg.axis_index "half" : index
      %from = arith.muli %half, %c32 : index
      scf.for %k = %c0 to %c2 step %c1 {
        tg.barrier_wait %full[%k] : !tg.barrier_ref<2, arrivals = 1>
        %v = tg.load %in[%k, %from, 0] : !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128> -> vector<32x128xf16>
        %w = arith.addf %v, %v : vector<32x128xf16>
        tg.store %w, %out[%k, %from, 0] : vector<32x128xf16>, !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>
        tg.commit_smem
        %mine = tg.subview %out[%k, %from, 0] [1, 32, 128] : !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<1x32x128xf16, smem, tile = [8, 64], swizzle = 128>
        %rows = arith.muli %k, %c64 : index
        %row = arith.addi %base, %rows : index
        %to = arith.addi %row, %from : index
        %tile = tg.at %mine[0] : !tg.ref<1x32x128xf16, smem, tile = [8, 64], swizzle = 128> to !tg.ref<32x128xf16, smem, tile = [8, 64], swizzle = 128>
        tg.copy_smem_to_gmem %tile -> %o[%to, 0] : !tg.ref<32x128xf16, smem, tile = [8, 64], swizzle = 128> -> !tg.ref<256x128xf16, gmem>
      }
      tg.wait_smem_to_gmem 0
    }
    role @loader registers 24 {
      scf.for %k = %c0 to %c2 step %c1 {
        %rows = arith.muli %k, %c64 : index
        %row = arith.addi %base, %rows : index
        tg.copy_gmem_to_smem %x[%row, 0] -> %in[%k], %full[%k] : !tg.ref<256x128xf16, gmem> -> !tg.ref<2x64x128xf16, smem, tile = [8, 64], swizzle = 128>, !tg.barrier_ref<2, arrivals = 1>
      }
    }
  }
}

// Floats of 8 bits: in pairs, one alone, and the same one in every place.
tg.kernel @bytes(in %x: !tg.ref<1024xf32, gmem>, in %h: !tg.ref<300xf16, gmem>, in %b: !tg.ref<256xbf16, gmem>, out %o: !tg.ref<1024xf8E4M3FN, gmem>, out %p: !tg.ref<300xf8E5M2, gmem>, out %q: !tg.ref<256xf8E4M3FN, gmem>, out %y: !tg.ref<1024xf32, gmem>, out %z: !tg.ref<256xbf16, gmem>, %s: f32, %n: f16) {
  %v = tg.load %x : !tg.ref<1024xf32, gmem> -> vector<1024xf32>
  %e = arith.truncf %v : vector<1024xf32> to vector<1024xf8E4M3FN>
  tg.store %e, %o : vector<1024xf8E4M3FN>, !tg.ref<1024xf8E4M3FN, gmem>
  %l = tg.load %o : !tg.ref<1024xf8E4M3FN, gmem> -> vector<1024xf8E4M3FN>
  %w = arith.extf %l : vector<1024xf8E4M3FN> to vector<1024xf32>
  tg.store %w, %y : vector<1024xf32>, !tg.ref<1024xf32, gmem>
  %hv = tg.load %h : !tg.ref<300xf16, gmem> -> vector<300xf16>
  %he = arith.truncf %hv : vector<300xf16> to vector<300xf8E5M2>
  tg.store %he, %p : vector<300xf8E5M2>, !tg.ref<300xf8E5M2, gmem>
  %bv = tg.load %b : !tg.ref<256xbf16, gmem> -> vector<256xbf16>
  %be = arith.truncf %bv : vector<256xbf16> to vector<256xf8E4M3FN>
  %one = arith.constant dense<1.5> : vector<256xf8E4M3FN>
  tg.store %be, %q : vector<256xf8E4M3FN>, !tg.ref<256xf8E4M3FN, gmem>
  %bw = arith.extf %be : vector<256xf8E4M3FN> to vector<256xbf16>
  tg.store %bw, %z : vector<256xbf16>, !tg.ref<256xbf16, gmem>
  %se = arith.truncf %s : f32 to f8E4M3FN
  tg.store %se, %o[3] : f8E4M3FN, !tg.ref<1024xf8E4M3FN, gmem>
  %ne = arith.truncf %n : f16 to f8E5M2
  %nf = arith.extf %ne : f8E5M2 to f32
  tg.store %nf, %y[5] : f32, !tg.ref<1024xf32, gmem>
  %many = vector.broadcast %se : f8E4M3FN to vector<256xf8E4M3FN>
  %manyf = arith.extf %many : vector<256xf8E4M3FN> to vector<256xf32>
  tg.store %manyf, %y[256] : vector<256xf32>, !tg.ref<1024xf32, gmem>
  tg.store %one, %q : vector<256xf8E4M3FN>, !tg.ref<256xf8E4M3FN, gmem>
}
