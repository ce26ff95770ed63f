// One kernel for each group of synchronising ops.

// Bytes announced apart from the copies; a barrier of several arrivals; a predicate.
tg.kernel @raw(in %x: !tg.ref<2x256xf32, gmem>, out %o: !tg.ref<2x256xf32, gmem>) {
  %a = tg.alloc : !tg.ref<2x256xf32, smem>
  %bar = tg.alloc_barrier : !tg.barrier_ref<3, arrivals = 1>
  %even = arith.constant false
  %yes = arith.constant true
  tg.barrier_arrive_expect_tx %bar[0] bytes 2048 : !tg.barrier_ref<3, arrivals = 1>
  tg.copy_gmem_to_smem %x[0] -> %a[0], %bar[0] raw : !tg.ref<2x256xf32, gmem> -> !tg.ref<2x256xf32, smem>, !tg.barrier_ref<3, arrivals = 1>
  tg.copy_gmem_to_smem %x[1] -> %a[1], %bar[0] raw if %yes : !tg.ref<2x256xf32, gmem> -> !tg.ref<2x256xf32, smem>, !tg.barrier_ref<3, arrivals = 1>
  tg.barrier_wait_parity %bar[0], %even : !tg.barrier_ref<3, arrivals = 1>
  %v = tg.load %a : !tg.ref<2x256xf32, smem> -> vector<2x256xf32>
  tg.store %v, %o : vector<2x256xf32>, !tg.ref<2x256xf32, gmem>
}

// A barrier that both copies and threads arrive on.
tg.kernel @mixed(in %x: !tg.ref<128xf32, gmem>, in %y: !tg.ref<128xf32, gmem>, out %o: !tg.ref<128xf32, gmem>) {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %b = tg.alloc : !tg.ref<128xf32, smem>
  %ready = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  %done = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.warp_specialize {
    role @left {
      %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
      tg.store %v, %a : vector<128xf32>, !tg.ref<128xf32, smem>
      tg.barrier_arrive %ready : !tg.barrier_ref<1, arrivals = 2>
      tg.copy_gmem_to_smem %y -> %b, %ready : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 2>
      tg.barrier_wait %done : !tg.barrier_ref<1, arrivals = 1>
    }
    role @right {
      tg.barrier_wait %ready : !tg.barrier_ref<1, arrivals = 2>
      %v = tg.load %a : !tg.ref<128xf32, smem> -> vector<128xf32>
      %w = tg.load %b : !tg.ref<128xf32, smem> -> vector<128xf32>
      %s = arith.addf %v, %w : vector<128xf32>
      tg.store %s, %o : vector<128xf32>, !tg.ref<128xf32, gmem>
      tg.barrier_arrive %done : !tg.barrier_ref<1, arrivals = 1>
    }
  }
}

// A warp that asks before it waits, and arrives twice at once.
tg.kernel @asking(in %x: !tg.ref<32xf32, gmem>, out %o: !tg.ref<32xf32, gmem>, out %n: !tg.ref<1xi32, gmem>) {
  %a = tg.alloc : !tg.ref<32xf32, smem>
  %ready = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 2>
  %even = arith.constant false
  tg.warp_specialize {
    role @giver warps 1 {
      %v = tg.load %x : !tg.ref<32xf32, gmem> -> vector<32xf32>
      tg.store %v, %a : vector<32xf32>, !tg.ref<32xf32, smem>
      tg.barrier_arrive %ready count 2 : !tg.barrier_ref<1, arrivals = 2>
    }
    role @taker warps 1 {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %asked = scf.while (%count = %zero) : (i32) -> i32 {
        %done = tg.barrier_test %ready, %even : !tg.barrier_ref<1, arrivals = 2>
        %yes = arith.constant true
        %again = arith.xori %done, %yes : i1
        scf.condition(%again) %count : i32
      } do {
      ^bb0(%count: i32):
        %next = arith.addi %count, %one : i32
        scf.yield %next : i32
      }
      %v = tg.load %a : !tg.ref<32xf32, smem> -> vector<32xf32>
      tg.store %v, %o : vector<32xf32>, !tg.ref<32xf32, gmem>
      %clamped = arith.minsi %asked, %zero : i32
      tg.store %clamped, %n[0] : i32, !tg.ref<1xi32, gmem>
    }
  }
}

// A barrier whose life the kernel begins and ends itself; stores in groups; what is for people.
tg.kernel @lives(in %x: !tg.ref<4x128xf32, gmem>, out %o: !tg.ref<4x128xf32, gmem>) {
  %a = tg.alloc : !tg.ref<4x128xf32, smem>
  %bar = tg.alloc_barrier uninitialized : !tg.barrier_ref<2, arrivals = 1>
  %even = arith.constant false
  %yes = arith.constant true
  tg.init_barrier %bar : !tg.barrier_ref<2, arrivals = 1>
  tg.block_sync
  tg.copy_gmem_to_smem %x -> %a, %bar[1] : !tg.ref<4x128xf32, gmem> -> !tg.ref<4x128xf32, smem>, !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait_parity %bar[1], %even : !tg.barrier_ref<2, arrivals = 1>
  tg.assert %yes, "100% sure"
  %v = tg.load %a : !tg.ref<4x128xf32, smem> -> vector<4x128xf32>
  %w = arith.addf %v, %v : vector<4x128xf32>
  tg.store %w, %a : vector<4x128xf32>, !tg.ref<4x128xf32, smem>
  tg.commit_smem
  tg.copy_smem_to_gmem %a[0] -> %o[0] uncommitted : !tg.ref<4x128xf32, smem> -> !tg.ref<4x128xf32, gmem>
  tg.copy_smem_to_gmem %a[1] -> %o[1] uncommitted : !tg.ref<4x128xf32, smem> -> !tg.ref<4x128xf32, gmem>
  tg.commit_group
  tg.copy_smem_to_gmem %a[2] -> %o[2] : !tg.ref<4x128xf32, smem> -> !tg.ref<4x128xf32, gmem>
  tg.wait_smem_to_gmem 0 read_only
  %t = tg.load %a[3] : !tg.ref<4x128xf32, smem> -> vector<128xf32>
  tg.store %t, %a[0] : vector<128xf32>, !tg.ref<4x128xf32, smem>
  tg.commit_smem
  tg.copy_smem_to_gmem %a[0] -> %o[3] : !tg.ref<4x128xf32, smem> -> !tg.ref<4x128xf32, gmem>
  tg.wait_smem_to_gmem 0
  tg.inval_barrier %bar : !tg.barrier_ref<2, arrivals = 1>
}

// A cluster of four blocks in two dimensions: a barrier along one axis, one along both, an arrival at a peer, a
// multicast by the leader.
tg.kernel @cluster(in %x: !tg.ref<128xf32, gmem>, out %o: !tg.ref<4x128xf32, gmem>) grid ["g" = 1] cluster ["r" = 2, "c" = 2] {
  %a = tg.alloc : !tg.ref<128xf32, smem>
  %rows = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = ["r"]>
  %all = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1, cluster = [["r", "c"]]>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %next = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  %even = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r = tg.axis_index "r" : index
  %c = tg.axis_index "c" : index
  %up = arith.muli %r, %c2 : index
  %rank = arith.addi %up, %c : index
  %after = arith.addi %rank, %c1 : index
  %peer = arith.remui %after, %c4 : index
  tg.barrier_arrive %rows : !tg.barrier_ref<1, arrivals = 1, cluster = ["r"]>
  tg.barrier_wait_parity %rows, %even : !tg.barrier_ref<1, arrivals = 1, cluster = ["r"]>
  tg.barrier_arrive_expect_tx %full bytes 512 : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive %all : !tg.barrier_ref<1, arrivals = 1, cluster = [["r", "c"]]>
  tg.barrier_wait_parity %all, %even : !tg.barrier_ref<1, arrivals = 1, cluster = [["r", "c"]]>
  %leader = arith.cmpi eq, %rank, %c0 : index
  tg.copy_gmem_to_smem %x -> %a, %full raw multicast [0, 1, 2, 3] if %leader : !tg.ref<128xf32, gmem> -> !tg.ref<128xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait_parity %full, %even : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_arrive %next peer(%peer) : !tg.barrier_ref<1, arrivals = 1>
  tg.barrier_wait_parity %next, %even : !tg.barrier_ref<1, arrivals = 1>
  %v = tg.load %a : !tg.ref<128xf32, smem> -> vector<128xf32>
  %i = arith.index_cast %rank : index to i32
  %f = arith.sitofp %i : i32 to f32
  %fs = vector.broadcast %f : f32 to vector<128xf32>
  %w = arith.addf %v, %fs : vector<128xf32>
  tg.store %w, %o[%rank] : vector<128xf32>, !tg.ref<4x128xf32, gmem>
}

// An array that lanes hand to one another through shared memory: joins between the stores and the loads.
tg.kernel @exchange(in %x: !tg.ref<512xf32, gmem>, out %o: !tg.ref<512xf32, gmem>) {
  %a = tg.alloc : !tg.ref<512xf32, smem>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %v = tg.load %x : !tg.ref<512xf32, gmem> -> vector<512xf32>
  tg.store %v, %a : vector<512xf32>, !tg.ref<512xf32, smem>
  scf.for %i = %c0 to %c3 step %c1 {
    %low = tg.load %a[0] : !tg.ref<512xf32, smem> -> vector<256xf32>
    %high = tg.load %a[256] : !tg.ref<512xf32, smem> -> vector<256xf32>
    %sum = arith.addf %low, %high : vector<256xf32>
    tg.store %sum, %a[256] : vector<256xf32>, !tg.ref<512xf32, smem>
    tg.store %high, %a[0] : vector<256xf32>, !tg.ref<512xf32, smem>
  }
  %w = tg.load %a : !tg.ref<512xf32, smem> -> vector<512xf32>
  tg.store %w, %o : vector<512xf32>, !tg.ref<512xf32, gmem>
}

// A number that a warpgroup stores, loads and stores again: what one warp reads no other may still be about to write.
tg.kernel @overwrites(in %x: !tg.ref<128xf32, gmem>, out %o: !tg.ref<4x128xf32, gmem>, out %last: !tg.ref<1xf32, gmem>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = tg.alloc : !tg.ref<2xf32, smem>
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %sum = vector.reduction <add>, %v : vector<128xf32> into f32
  tg.store %sum, %a[0] : f32, !tg.ref<2xf32, smem>
  scf.for %i = %c0 to %c4 step %c1 {
    %n = tg.load %a[0] : !tg.ref<2xf32, smem> -> f32
    %twice = arith.addf %n, %n : f32
    tg.store %n, %a[1] : f32, !tg.ref<2xf32, smem>
    tg.store %twice, %a[1] : f32, !tg.ref<2xf32, smem>
    %again = tg.load %a[1] : !tg.ref<2xf32, smem> -> f32
    tg.store %again, %a[0] : f32, !tg.ref<2xf32, smem>
    %s = vector.broadcast %again : f32 to vector<128xf32>
    %w = arith.addf %v, %s : vector<128xf32>
    tg.store %w, %o[%i] : vector<128xf32>, !tg.ref<4x128xf32, gmem>
    tg.store %again, %last[0] : f32, !tg.ref<1xf32, gmem>
  }
}

// Numbers of other sizes, in memory and in registers; a truth value takes a byte.
tg.kernel @sizes(in %x: !tg.ref<64xi8, gmem>, in %d: !tg.ref<64xf64, gmem>, out %o: !tg.ref<64xi1, gmem>, out %p: !tg.ref<64xf64, gmem>, out %q: !tg.ref<2xi64, gmem>) {
  %t = tg.alloc : !tg.ref<64xi1, smem>
  %v = tg.load %x : !tg.ref<64xi8, gmem> -> vector<64xi8>
  %zero = arith.constant dense<0> : vector<64xi8>
  %positive = arith.cmpi sgt, %v, %zero : vector<64xi8>
  tg.store %positive, %t : vector<64xi1>, !tg.ref<64xi1, smem>
  tg.thread_sync
  %again = tg.load %t : !tg.ref<64xi1, smem> -> vector<64xi1>
  tg.store %again, %o : vector<64xi1>, !tg.ref<64xi1, gmem>
  %w = tg.load %d : !tg.ref<64xf64, gmem> -> vector<64xf64>
  %twice = arith.addf %w, %w : vector<64xf64>
  tg.store %twice, %p : vector<64xf64>, !tg.ref<64xf64, gmem>
  %start = arith.constant 0.0 : f64
  %sum = vector.reduction <add>, %w, %start : vector<64xf64> into f64
  %whole = arith.fptosi %sum : f64 to i64
  tg.store %whole, %q[0] : i64, !tg.ref<2xi64, gmem>
  %wide = arith.constant 5000000000 : i64
  tg.store %wide, %q[1] : i64, !tg.ref<2xi64, gmem>
}

// What is for people.
tg.kernel @printing(in %x: !tg.ref<128xf32, gmem>) grid ["g" = 2] {
  %g = tg.axis_index "g" : index
  %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
  %sum = vector.reduction <add>, %v : vector<128xf32> into f32
  tg.debug_print "block {}: {}% of {}", %g, %sum, %v : index, f32, vector<128xf32>
}

// Whole warpgroups that ask whether a copy has come, all lanes of each with one answer.
tg.kernel @polls(in %x: !tg.ref<256xf32, gmem>, out %y: !tg.ref<256xf32, gmem>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %even = arith.constant false
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %buf = tg.alloc : !tg.ref<256xf32, smem>
  %full = tg.alloc_barrier : !tg.barrier_ref<1, arrivals = 1>
  tg.warp_specialize {
    role @loader warps 1 {
      tg.copy_gmem_to_smem %x[0] -> %buf, %full : !tg.ref<256xf32, gmem> -> !tg.ref<256xf32, smem>, !tg.barrier_ref<1, arrivals = 1>
    }
    role @pollers threads ["half" = 2] {
      %half = tg.axis_index "half" : index
      %from = arith.muli %half, %c128 : index
      %tries = scf.while (%n = %zero) : (i32) -> (i32) {
        %done = tg.barrier_test %full, %even : !tg.barrier_ref<1, arrivals = 1>
        %again = arith.xori %done, %true : i1
        scf.condition(%again) %n : i32
      } do {
      ^bb0(%n: i32):
        %next = arith.addi %n, %one : i32
        scf.yield %next : i32
      }
      tg.barrier_wait_parity %full, %even : !tg.barrier_ref<1, arrivals = 1>
      %v = tg.load %buf[%from] : !tg.ref<256xf32, smem> -> vector<128xf32>
      tg.store %v, %y[%from] : vector<128xf32>, !tg.ref<256xf32, gmem>
    }
  }
}
