// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles, reduce, scan, labelled partition, coalesced threads, a block group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cg_tiles(const int* a, int* out) {
  auto block = cg::this_thread_block(); int i = block.thread_rank(), n = block.size(), x = a[i]; int* o = out + i;
#define PUT(v) { *o = (int)(v); o += n; }
  auto t8 = cg::tiled_partition<8>(block); auto t32 = cg::tiled_partition<32>(block);
  PUT(t8.thread_rank()) PUT(t8.meta_group_rank()) PUT(cg::reduce(t8, x, cg::plus<int>())) PUT(cg::reduce(t32, x, cg::greater<int>())) PUT(cg::inclusive_scan(t8, x)) PUT(cg::exclusive_scan(t32, x, cg::plus<int>()))
  PUT(t8.shfl_down(x, 2)) PUT(t8.any(x > 5)) PUT(t32.ballot(x > 0)) PUT(t8.match_any(x & 3))
  auto lp = cg::labeled_partition(t32, x & 3); PUT(cg::reduce(lp, x, cg::plus<int>()))
  int r = -1; if (x > 2) { auto c = cg::coalesced_threads(); r = c.size() * 0 + c.shfl(1, 0); } PUT(r)
  block.sync();
}
