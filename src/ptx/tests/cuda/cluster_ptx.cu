// SPDX-License-Identifier: Apache-2.0
// Clusters by hand: mapa, remote loads, stores and atomics, st.async and red.async with a remote barrier, remote arrival, bulk copy to a peer, cluster barriers.
#include "tg.cuh"
extern "C" __global__ void cluster_ptx(const u32* a, u32* out) {
  __shared__ alignas(128) u32 s[64], in[64], bulk[64], red[1]; __shared__ u64 bar, bar2, barr; int i = threadIdx.x; u32 rank, peer; asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank)); peer = rank ^ 1;
  s[i] = a[blockIdx.x * 64 + i]; in[i] = 0; if (i == 0) { red[0] = 0; bar_init(&bar, 1); bar_init(&bar2, 1); bar_init(&barr, 64); bar_fence(); bar_expect(&bar, 256 + 256); bar_expect(&bar2, 64 * 4); }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  u32 rs, rin, rbar, rbar2, rbarr, rred, rbulk; 
#define MAPA(d, p) asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(sa(p)), "r"(peer));
  MAPA(rs, s) MAPA(rin, in) MAPA(rbar, &bar) MAPA(rbar2, &bar2) MAPA(rbarr, &barr) MAPA(rred, red) MAPA(rbulk, bulk)
  u32 v, w, q; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(rs + 4 * (63 - i)) : "memory"); u64 gp; asm("mapa.u64 %0, %1, %2;" : "=l"(gp) : "l"((u64)&s[i]), "r"(peer)); w = *(volatile u32*)gp; asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(q) : "r"(rs));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(rin + 4 * i), "r"(v * 3), "r"(rbar) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(rred), "r"((u32)i), "r"(rbar2) : "memory");
  if (i == 0) { proxy_fence(); asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" :: "r"(rbulk), "r"(sa(s)), "r"(rbar) : "memory"); }
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(rbarr) : "memory");
  bar_wait(&bar, 0); bar_wait(&bar2, 0); bar_wait(&barr, 0);
  u32* o = out + blockIdx.x * 64 * 4 + i; o[0] = v + w; o[64] = in[i]; o[128] = bulk[i]; o[192] = red[0] + q * 100000;
  asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
}
