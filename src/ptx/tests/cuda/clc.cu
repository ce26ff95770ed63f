// SPDX-License-Identifier: Apache-2.0
// sm_100: persistent blocks that take the work of blocks not yet started (clusterlaunchcontrol).
#include "tg.cuh"
extern "C" __global__ void clc(const int* a, int* out, u32* taken) {
  __shared__ alignas(16) u32 resp[4]; __shared__ u64 bar; int i = threadIdx.x; u32 b = blockIdx.x, par = 0, own = 0;
  if (i == 0) { bar_init(&bar, 1); bar_fence(); } __syncthreads();
  for (;;) {
    if (i == 0) { bar_expect(&bar, 16); asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" :: "r"(sa(resp)), "r"(sa(&bar)) : "memory"); }
    out[b * 32 + i] = a[b * 32 + i] * 2 + (int)b; ++own; bar_wait(&bar, par); par ^= 1;
    u32 ok, x = 0; asm volatile("{.reg .b128 r; .reg .pred p; .reg .b32 y, z; ld.shared.b128 r, [%2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r; selp.u32 %0, 1, 0, p; @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, y, z, _}, r;}" : "=r"(ok), "+r"(x) : "r"(sa(resp)) : "memory");
    proxy_fence(); __syncthreads(); if (!ok) break; b = x;
  }
  if (i == 0) atomicAdd(taken, own);
}
