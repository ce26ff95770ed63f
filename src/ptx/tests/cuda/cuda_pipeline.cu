// SPDX-License-Identifier: Apache-2.0
// cuda::pipeline with block scope, producers and consumers of one kind.
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void cuda_pipeline(const int* a, int* out, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st; __shared__ alignas(16) int s[2][128];
  auto block = cooperative_groups::this_thread_block(); auto pipe = cuda::make_pipeline(block, &st); int i = threadIdx.x, acc = 0;
  for (int f = 0, t = 0; t < tiles; ++t) {
    for (; f < tiles && f < t + 2; ++f) { pipe.producer_acquire(); cuda::memcpy_async(block, s[f & 1], a + 128 * f, cuda::aligned_size_t<16>(512), pipe); pipe.producer_commit(); }
    pipe.consumer_wait(); acc = acc * 3 + s[t & 1][(i * 5) & 127]; pipe.consumer_release();
  }
  out[i] = acc;
}
