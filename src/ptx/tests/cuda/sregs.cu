// SPDX-License-Identifier: Apache-2.0
// Special registers that have one right answer, address space conversions and tests, pointers to each space through generic loads.
extern "C" __global__ void sregs(unsigned* out) {
  __shared__ unsigned s[64]; unsigned r, t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned* o = out + (b * 64 + t) * 32; unsigned local[4]; int k = 0;
#define S(n) { asm volatile("mov.u32 %0, %" #n ";" : "=r"(r)); o[k++] = r; }
  S(%tid.x) S(%tid.y) S(%tid.z) S(%ntid.x) S(%ntid.y) S(%ntid.z) S(%ctaid.x) S(%ctaid.y) S(%ctaid.z) S(%nctaid.x) S(%nctaid.y) S(%nctaid.z) S(%laneid) S(%lanemask_eq) S(%lanemask_lt) S(%lanemask_le) S(%lanemask_gt) S(%lanemask_ge) S(%cluster_ctarank) S(%cluster_nctarank) S(%clusterid.x) S(%nclusterid.x)
  unsigned long long c0, c1; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(c0)); c1 = clock64(); unsigned u = clock(); o[k++] = (c0 + c1 + u) * 0;
  s[t & 63] = 5; local[t & 3] = 7; unsigned* ps = &s[t & 63]; unsigned* pl = &local[t & 3]; asm volatile("" : "+l"(ps), "+l"(pl) :: "memory");
  o[k++] = __isShared(ps) | __isLocal(pl) << 1 | __isGlobal(out) << 2 | __isShared(out) << 3 | __isConstant(ps) << 4; o[k++] = *ps + *pl; *ps = 9; asm volatile("" ::: "memory"); o[k++] = s[t & 63];
  o[k++] = (unsigned)(__cvta_generic_to_global(out) == (size_t)out); for (; k < 32; ++k) o[k] = 0;
}
