// SPDX-License-Identifier: Apache-2.0
// griddepcontrol and exit paths: no earlier grid, so the wait returns at once; trap is not reached; some threads exit early before a barrier.
extern "C" __global__ void griddep(const int* a, int* out) {
  int i = threadIdx.x; asm volatile("griddepcontrol.wait;" ::: "memory"); __shared__ int s[64]; if (i < 64) s[i] = a[i];
  if (a[0] == 0x7fffffff) asm volatile("trap;"); if (a[1] == 0x7fffffff) __brkpt();
  asm volatile("griddepcontrol.launch_dependents;");
  if (i >= 64) return;
  __syncthreads(); out[i] = s[63 - i] + 1; asm volatile("pmevent 1;"); asm volatile("exit;");
}
