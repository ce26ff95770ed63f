// SPDX-License-Identifier: Apache-2.0
// Message passing between blocks that run together: release and acquire through global memory, fences, a spin on a flag.
extern "C" __global__ void messages(const int* a, int* box, unsigned* flag, int* out) {
  int b = blockIdx.x, n = gridDim.x, i = threadIdx.x; int v = a[b * blockDim.x + i];
  // a token goes around the blocks in order; each adds its values
  if (b > 0 && i == 0) { unsigned f; do { asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(flag + b - 1) : "memory"); if (!f) asm volatile("nanosleep.u32 20;"); } while (!f); }
  __syncthreads();
  if (b > 0) v += box[(b - 1) * blockDim.x + i];
  box[b * blockDim.x + i] = v; 
  __syncthreads();
  if (i == 0) { if (b & 1) { __threadfence(); asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" :: "l"(flag + b) : "memory"); } else asm volatile("fence.acq_rel.gpu; st.release.gpu.global.u32 [%0], 1;" :: "l"(flag + b) : "memory"); }
  if (b == n - 1) out[i] = v;
  asm volatile("fence.sc.sys; fence.proxy.alias; membar.cta; membar.gl; membar.sys; fence.proxy.async; fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
}
