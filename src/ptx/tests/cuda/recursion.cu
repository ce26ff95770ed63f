// SPDX-License-Identifier: Apache-2.0
// Recursive device functions: call with a stack of local memory.
__device__ __noinline__ unsigned ack(unsigned m, unsigned n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); }
__device__ __noinline__ void hanoi(int n, int a, int b, int c, int* moves, int* sum) { if (n == 0) return; hanoi(n - 1, a, c, b, moves, sum); ++*moves; *sum = (*sum * 31 + a * 3 + c) % 10007; hanoi(n - 1, b, a, c, moves, sum); }
extern "C" __global__ void recursion(unsigned* out) {
  unsigned i = threadIdx.x; int moves = 0, sum = 0;
  hanoi(i % 7, 0, 1, 2, &moves, &sum);
  out[3 * i] = ack(i % 3, i % 5); out[3 * i + 1] = moves; out[3 * i + 2] = sum;
}
