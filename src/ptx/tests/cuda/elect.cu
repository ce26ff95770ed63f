// SPDX-License-Identifier: Apache-2.0
// elect.sync over the whole warp and over a part: exactly one lane of the mask is elected, all are told who.
extern "C" __global__ void elect(unsigned* out) {
  unsigned i = threadIdx.x, lane, e, w = i / 32;
  asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}" : "=r"(lane), "=r"(e));
  unsigned b = __ballot_sync(~0u, e);
  unsigned half = 0;
  if ((i & 31) >= 16) { unsigned l2; asm volatile("{.reg .pred p; elect.sync %0|p, 0xffff0000; selp.u32 %1, 1, 0, p;}" : "=r"(l2), "=r"(e)); half = __popc(__ballot_sync(0xffff0000u, e)) + 16 * (l2 >= 16) + 32 * ((__ballot_sync(0xffff0000u, e) >> l2) & 1); }
  half = __shfl_sync(~0u, half, 31);
  if ((i & 31) == 0) { out[4 * w] = __popc(b); out[4 * w + 1] = lane < 32; out[4 * w + 2] = (b >> lane) & 1; out[4 * w + 3] = half; }
}
