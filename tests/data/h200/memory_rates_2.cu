#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned u32;
#define CK(x) do { cudaError_t e = (x); if (e) { printf("ERR %s line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
char *buf; u32 *out;
__device__ __forceinline__ u32 smid() { u32 r; asm volatile("mov.u32 %0,%%smid;" : "=r"(r)); return r; }
/* A: burst of N stores a warp, time to the end of issue, and of completion */
template <int N, int W> __global__ void burst(char *b, int stride, int step, int wspan, u32 *o) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5; char *a = b + (long)warp * wspan + (long)lane * stride;
  __syncthreads(); u32 t0 = clock();
#pragma unroll
  for (int i = 0; i < N; i++) { if (W == 4) asm volatile("st.global.u32 [%0],%1;" ::"l"(a + (long)i * step), "r"(i)); else asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(a + (long)i * step), "r"(i)); }
  u32 t1 = clock(); __syncthreads(); u32 t2 = clock(); __threadfence(); u32 t3 = clock();
  if (lane == 0) { o[warp * 4] = t1 - t0; o[warp * 4 + 1] = t2 - t0; o[warp * 4 + 2] = t3 - t0; }
}
template <int N, int W> void B(const char *n, int warps, int stride, int step, int wspan) {
  u32 h[128]; for (int r = 0; r < 3; r++) { burst<N, W><<<1, warps * 32>>>(buf, stride, step, wspan, out); CK(cudaDeviceSynchronize()); }
  CK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost)); u32 m1 = 0, m2 = 0, m3 = 0; for (int w = 0; w < warps; w++) { if (h[w * 4] > m1) m1 = h[w * 4]; if (h[w * 4 + 1] > m2) m2 = h[w * 4 + 1]; if (h[w * 4 + 2] > m3) m3 = h[w * 4 + 2]; }
  printf("B %-26s w %2d n %3d stride %4d step %5d: issued %6u (first warp %6u) barrier %6u fence %6u\n", n, warps, N, stride, step, m1, h[0], m2, m3);
}
/* L1-hit load of warp 0 behind a burst of the other warps' stores; and L2 load */
template <int N> __global__ void behind(char *b, char *hot, int stride, int step, int wspan, int cg, u32 *o) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5; char *a = b + (long)warp * wspan + (long)lane * stride; u32 r = 0;
  if (warp == 0) { asm volatile("ld.global.u32 %0,[%1];" : "=r"(r) : "l"(hot + lane * 4) : "memory"); if (r == 0x12345) o[99] = r; }
  __syncthreads();
  if (warp) {
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("st.global.u32 [%0],%1;" ::"l"(a + (long)i * step), "r"(i));
  } else { for (int k = 0; k < 6; k++) { u32 t0 = clock(); if (cg) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(r) : "l"(hot + lane * 4) : "memory"); else asm volatile("ld.global.u32 %0,[%1];" : "=r"(r) : "l"(hot + lane * 4) : "memory"); if (r == 0x12345) o[99] = r; u32 t1 = clock(); if (lane == 0) o[k] = t1 - t0; for (int q = 0; q < 8; q++) __nanosleep(0); } }
}
template <int N> void H(const char *n, int warps, int stride, int step, int wspan, int cg) {
  u32 h[8]; for (int r = 0; r < 3; r++) { behind<N><<<1, warps * 32>>>(buf, buf + (64 << 20), stride, step, wspan, cg, out); CK(cudaDeviceSynchronize()); }
  CK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost)); printf("H %-26s w %2d n %3d stride %4d cg %d: loads", n, warps, N, stride, cg); for (int k = 0; k < 6; k++) printf(" %u", h[k]); printf("\n");
}
/* C: throughput on a chosen set of SMs (mask by smid) */
template <int K> __global__ void sel(char *b, const unsigned char *on, int stride, int step, int wspan, int iters, int wrap, u32 *o) {
  u32 s = smid(); if (!on[s]) return;
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, acc = 0; char *base = b + (long)s * wspan * 16 + (long)warp * wspan + (long)lane * stride;
  __syncthreads(); u32 t0 = clock();
#pragma unroll 8
  for (int i = 0; i < iters; i++) { char *a = base + (long)(i & wrap) * step; u32 r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    if (K == 1) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(r0) : "l"(a));
    if (K == 2) asm volatile("st.global.u32 [%0],%1;" ::"l"(a), "r"(i));
    if (K == 3) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(a), "r"(i));
    if (K == 4) asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "l"(a));
    acc += r0 + r1 + r2 + r3; }
  if (acc == 0x12345678u) o[100000] = acc;
  if (K == 2 || K == 3) __threadfence();
  __syncthreads(); u32 t1 = clock(); if (threadIdx.x == 0) o[s] = t1 - t0;
}
unsigned char *don;
template <int K> void C(const char *n, const char *setname, std::vector<int> sms, int stride, int step, int wspan, int iters, int wrap) {
  unsigned char on[160] = {0}; for (int s : sms) on[s] = 1; CK(cudaMemcpy(don, on, 160, cudaMemcpyHostToDevice)); CK(cudaMemset(out, 0, 640));
  CK(cudaFuncSetAttribute(sel<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024));
  for (int r = 0; r < 3; r++) { sel<K><<<132, 512, 120 * 1024>>>(buf, don, stride, step, wspan, iters, wrap, out); CK(cudaDeviceSynchronize()); }
  u32 h[160]; CK(cudaMemcpy(h, out, 640, cudaMemcpyDeviceToHost)); double s = 0, m = 0, lo = 1e18; int c = 0; for (int i = 0; i < 132; i++) if (on[i]) { if (!h[i]) continue; c++; s += h[i]; if (h[i] > m) m = h[i]; if (h[i] < lo) lo = h[i]; }
  printf("C %-18s %-22s sms %3d: cyc/inst/SM mean %7.2f min %7.2f max %7.2f\n", n, setname, c, s / c / iters / 16, lo / iters / 16, m / iters / 16);
  if (sms.size() >= 100 && K == 2 && stride == 128) { printf("  per sm:"); for (int i = 0; i < 132; i++) printf(" %.0f", h[i] / (double)iters / 16); printf("\n"); }
}
__global__ void same(char *b, int iters, int kind) { u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5; char *a = b + (kind == 1 ? lane * 4 : 0) + (kind == 2 ? warp * 4 : 0) + (kind == 3 ? warp * 128 + lane * 4 : 0) + (kind == 4 ? lane * 128 : 0) + (kind == 5 ? warp * 4 + lane * 4096 : 0);
#pragma unroll 4
  for (int i = 0; i < iters; i++) asm volatile("st.global.u32 [%0],%1;" ::"l"(a), "r"(i)); }
int main(int argc, char **argv) {
  CK(cudaMalloc(&buf, 512L << 20)); CK(cudaMemset(buf, 0, 512L << 20)); CK(cudaMalloc(&out, 1 << 20)); CK(cudaMalloc(&don, 160));
  std::string m = argv[1];
  if (m == "same") { for (int k = 0; k < 6; k++) for (int w : {1, 2, 8, 16}) { same<<<1, w * 32>>>(buf, 32, k); CK(cudaDeviceSynchronize()); } return 0; }
#define BB(N) B<N, 4>("scattered", 1, 128, 4096, 0); B<N, 4>("scattered", 4, 128, 4096, 4096 * 64); B<N, 4>("scattered", 16, 128, 4096, 4096 * 64);
  BB(1) BB(2) BB(4) BB(8) BB(16) BB(32) BB(64)
#define BL(N) B<N, 4>("lines", 1, 4, 128, 0); B<N, 4>("lines", 4, 4, 128, 128 * 64); B<N, 4>("lines", 16, 4, 128, 128 * 64); B<N, 16>("lines128", 4, 16, 512, 512 * 64); B<N, 16>("lines128", 16, 16, 512, 512 * 64);
  BL(1) BL(4) BL(8) BL(16) BL(32) BL(64)
#define BS(N) B<N, 4>("same line", 1, 4, 0, 128); B<N, 4>("same line each", 16, 4, 0, 128); B<N, 4>("one line all", 16, 4, 0, 0); B<N,4>("scattered same", 4, 128, 0, 4096);
  BS(8) BS(32) BS(64)
  H<1>("scattered", 16, 128, 4096, 4096 * 64, 0); H<4>("scattered", 16, 128, 4096, 4096 * 64, 0); H<16>("scattered", 16, 128, 4096, 4096 * 64, 0); H<16>("scattered", 2, 128, 4096, 4096 * 64, 0); H<16>("scattered", 16, 128, 4096, 4096 * 64, 1); H<4>("scattered", 16, 128, 4096, 4096 * 64, 1); H<64>("lines", 16, 4, 128, 8192, 0);
  std::vector<int> all, even, g8, one = {0}, two = {0, 1}, four = {0, 1, 16, 17}, gpc = {0, 1, 16, 17, 32, 33, 48, 49}, spread, h66; for (int i = 0; i < 132; i++) { all.push_back(i); if (i % 2 == 0) even.push_back(i); if (i < 66) h66.push_back(i); } for (int i = 0; i < 8; i++) spread.push_back(i * 2);
  std::vector<int> gpcall; for (int i = 0; i < 132; i++) if (i % 16 < 2) gpcall.push_back(i);
  struct { const char *n; std::vector<int> v; } sets[] = {{"SM 0", one}, {"0,1 (TPC)", two}, {"0,1,16,17", four}, {"8 of a GPC?", gpc}, {"all of it?", gpcall}, {"8 of 8 GPCs?", spread}, {"first 66", h66}, {"even", even}, {"all", all}};
  for (auto &s : sets) {
    C<2>("stg32 1 sector", s.n, s.v, 128, 4096, 8192, 128, 1); C<2>("stg32 4 partial", s.n, s.v, 32, 1024, 4096, 128, 3); C<2>("stg32 line", s.n, s.v, 4, 128, 1024, 256, 7); C<3>("stg128 lines", s.n, s.v, 16, 512, 4096, 128, 7); C<3>("stg128 2 full sectors", s.n, s.v, 64, 2048, 8192, 128, 3);
    C<1>("ldg32 1 sector", s.n, s.v, 128, 4096, 8192, 128, 1); C<4>("ldg128 lines", s.n, s.v, 16, 512, 4096, 256, 7);
  }
}
