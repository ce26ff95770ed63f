// SPDX-License-Identifier: Apache-2.0
// A jump table by hand: brx.idx with .branchtargets, lanes of a warp to different targets.
extern "C" __global__ void brx(const unsigned* a, unsigned* out) {
  unsigned i = threadIdx.x, x = a[i], r;
  asm volatile("{\n.reg .u32 k;\nrem.u32 k, %1, 4;\nts: .branchtargets T0, T1, T2, T3;\nbrx.idx k, ts;\nT0: add.u32 %0, %1, 100;\nbra E;\nT1: mul.lo.u32 %0, %1, 3;\nbra E;\nT2: not.b32 %0, %1; bra E;\nT3: shr.u32 %0, %1, 4;\nE:\n}" : "=&r"(r) : "r"(x));
  out[i] = r;
}
