// SPDX-License-Identifier: Apache-2.0
// Cooperative groups cluster: distributed shared memory histogram and rotation among four blocks.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cluster_dsmem(const int* a, int* out, unsigned* hist) {
  __shared__ int s[64]; __shared__ unsigned bins[16]; auto c = cg::this_cluster(); int i = threadIdx.x, r = c.block_rank(), n = c.num_blocks(), g = blockIdx.x * 64 + i;
  s[i] = a[g]; if (i < 16) bins[i] = 0; c.sync();
  int* next = c.map_shared_rank(s, (r + 1) % n); int v = next[63 - i]; unsigned key = (unsigned)a[g] & 63; atomicAdd(c.map_shared_rank(bins, key / 16) + key % 16, 1u);
  auto tok = c.barrier_arrive(); v += i; c.barrier_wait(std::move(tok)); out[g] = v + (int)c.query_shared_rank(next); if (i < 16) atomicAdd(&hist[r * 16 + i], bins[i]);
  c.sync();
}
