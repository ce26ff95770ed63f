// SPDX-License-Identifier: Apache-2.0
// cuda::barrier: split arrive and wait, one thread drops out, a completion that is awaited by parity.
#include <cuda/barrier>
extern "C" __global__ void cuda_barrier(const int* a, int* out) {
  using B = cuda::barrier<cuda::thread_scope_block>; __shared__ B bar; __shared__ int s[64]; int i = threadIdx.x;
  if (i == 0) init(&bar, blockDim.x); __syncthreads();
  s[i] = a[i]; auto tok = bar.arrive(); int mine = a[i] * 2; bar.wait(std::move(tok)); int v = s[63 - i] + mine;
  bar.arrive_and_wait();
  if (i >= 48) { bar.arrive_and_drop(); out[i] = v; return; }
  s[i] = v; bar.arrive_and_wait(); v += s[(i + 1) % 48]; bar.wait_parity(0); out[i] = v;
}
