#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#include <random>
#include <cuda_runtime.h>
typedef unsigned u32;
struct Pat { int off[32]; u32 mask; };
extern __shared__ char sm[];
enum { LD8, LD16, LD32, LD64, LD128, ST8, ST32, ST64, ST128, ATOM, ATOMINC, ATOMCAS, ATOMEXCH, LDSM1, LDSM2, LDSM4, CP4, CP8, CP16, NOPS };
const char *opname[] = {"LD8","LD16","LD32","LD64","LD128","ST8","ST32","ST64","ST128","ATOM","ATOMINC","ATOMCAS","ATOMEXCH","LDSM1","LDSM2","LDSM4","CP4","CP8","CP16"};
template <int OP> __global__ void shp(Pat p, u32 *sink, const char *g) {
  u32 lane = threadIdx.x, a = (u32)__cvta_generic_to_shared(sm) + p.off[lane];
  u32 r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  if (p.mask >> lane & 1) {
    if (OP == LD8) asm volatile("ld.shared.u8 %0,[%1];" : "=r"(r0) : "r"(a));
    if (OP == LD16) asm volatile("{.reg .u16 t; ld.shared.u16 t,[%1]; cvt.u32.u16 %0,t;}" : "=r"(r0) : "r"(a));
    if (OP == LD32) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(r0) : "r"(a));
    if (OP == LD64) asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(r0), "=r"(r1) : "r"(a));
    if (OP == LD128) asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a));
    if (OP == ST8) asm volatile("st.shared.u8 [%1],%0;" ::"r"(lane), "r"(a));
    if (OP == ST32) asm volatile("st.shared.u32 [%1],%0;" ::"r"(lane), "r"(a));
    if (OP == ST64) asm volatile("st.shared.v2.u32 [%1],{%0,%0};" ::"r"(lane), "r"(a));
    if (OP == ST128) asm volatile("st.shared.v4.u32 [%1],{%0,%0,%0,%0};" ::"r"(lane), "r"(a));
    if (OP == ATOM) asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(r0) : "r"(a), "r"(lane + 3));
    if (OP == ATOMINC) asm volatile("red.shared.add.u32 [%0],1;" ::"r"(a));
    if (OP == ATOMCAS) asm volatile("atom.shared.cas.b32 %0,[%1],%2,%3;" : "=r"(r0) : "r"(a), "r"(0), "r"(lane));
    if (OP == ATOMEXCH) asm volatile("atom.shared.exch.b32 %0,[%1],%2;" : "=r"(r0) : "r"(a), "r"(lane));
    if (OP == LDSM1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(r0) : "r"(a));
    if (OP == LDSM2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(r0), "=r"(r1) : "r"(a));
    if (OP == LDSM4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a));
    if (OP == CP4) asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(a), "l"(g + lane * 4));
    if (OP == CP8) asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(a), "l"(g + lane * 8));
    if (OP == CP16) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(a), "l"(g + lane * 16));
  }
  if (OP >= CP4) asm volatile("cp.async.wait_all;");
  if (r0 + r1 + r2 + r3 == 0x12345678u) *sink = r0;
}
#define CK(x) do { cudaError_t e = (x); if (e) { printf("ERR %s line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
u32 *sink; char *buf;
template <int OP> void run_shp(std::vector<Pat> &v, FILE *f) {
  for (auto &p : v) { fprintf(f, "shp,%s,%08x", opname[OP], p.mask); for (int i = 0; i < 32; i++) fprintf(f, ",%d", p.off[i]); fprintf(f, "\n");
    shp<OP><<<1, 32, 32768>>>(p, sink, buf); CK(cudaDeviceSynchronize()); }
}
std::mt19937 rng(7);
std::vector<Pat> pats(int w, int n) {
  std::vector<Pat> v; Pat p;
  auto add = [&](auto fn, u32 mask = ~0u) { for (int i = 0; i < 32; i++) p.off[i] = fn(i) * w; p.mask = mask; v.push_back(p); };
  add([](int i) { return i; }); add([](int) { return 0; });
  for (int b = 0; b < 5; b++) add([=](int i) { return i & ~(1 << b); });
  add([](int i) { return i / 4; }); add([](int i) { return i / 8; }); add([](int i) { return i / 16; }); add([](int i) { return i % 8; }); add([](int i) { return i % 4; });
  for (int s : {2, 3, 4, 8, 32}) add([=](int i) { return i * s; });
  for (u32 m : {0x0000ffffu, 0xffff0000u, 0x55555555u, 0x0f0f0f0fu, 0x000000ffu, 0x00ff00ffu, 0x33333333u, 1u, 0x80000001u}) add([](int i) { return i; }, m);
  for (int k = 0; k < n; k++) { int d = 1 << (1 + k % 6); int spread = k % 3 == 0 ? d : 64; std::vector<int> words(d); for (auto &x : words) x = rng() % spread; u32 m = k % 4 == 3 ? rng() : ~0u;
    add([&](int i) { (void)i; return words[rng() % d]; }, m); }
  return v;
}
std::vector<Pat> few(std::vector<Pat> v, size_t n) { std::vector<Pat> r; for (size_t i = 0; i < v.size() && r.size() < n; i++) r.push_back(v[i]); return r; }

/* L1 programs */
struct Op { int kind, warp, off, stride, count, step, wstep; u32 mask; };
enum { SYNC, LDG, LDG128, STG, STG128, RED, LDCG, LDV, LDNC, LDNA, CPA4, CPG16, LDEF, STCS, STWT, ATOMG, LDG64, STG64, STG8, LDCV, LDLU };
struct Prog { Op op[24]; int n; };
__global__ void prog(Prog p, char *b, u32 *sink) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, acc = 0, s = (u32)__cvta_generic_to_shared(sm) + threadIdx.x * 16;
  for (int i = 0; i < p.n; i++) {
    if (p.op[i].kind == SYNC) { asm volatile("cp.async.wait_all;"); __syncthreads(); continue; }
    if (p.op[i].warp >= 0 && p.op[i].warp != (int)warp) continue;
    if (!(p.op[i].mask >> lane & 1)) continue;
    for (int c = 0; c < p.op[i].count; c++) {
      char *a = b + p.op[i].off + (long)c * p.op[i].step + (long)lane * p.op[i].stride + (long)warp * p.op[i].wstep;
      u32 r0 = 0, r1 = 0, r2 = 0, r3 = 0;
      switch (p.op[i].kind) {
      case LDG: asm volatile("ld.global.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDG64: asm volatile("ld.global.v2.u32 {%0,%1},[%2];" : "=r"(r0), "=r"(r1) : "l"(a) : "memory"); break;
      case LDG128: asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "l"(a) : "memory"); break;
      case STG: asm volatile("st.global.u32 [%0],%1;" ::"l"(a), "r"(c) : "memory"); break;
      case STG8: asm volatile("st.global.u8 [%0],%1;" ::"l"(a), "r"(c) : "memory"); break;
      case STG64: asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(a), "r"(c) : "memory"); break;
      case STG128: asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(a), "r"(c) : "memory"); break;
      case STCS: asm volatile("st.global.cs.u32 [%0],%1;" ::"l"(a), "r"(c) : "memory"); break;
      case STWT: asm volatile("st.global.wt.u32 [%0],%1;" ::"l"(a), "r"(c) : "memory"); break;
      case RED: asm volatile("red.global.add.u32 [%0],%1;" ::"l"(a), "r"(c) : "memory"); break;
      case ATOMG: asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(r0) : "l"(a), "r"(c) : "memory"); break;
      case LDCG: asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDCV: asm volatile("ld.global.cv.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDLU: asm volatile("ld.global.lu.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDV: asm volatile("ld.volatile.global.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDNC: asm volatile("ld.global.nc.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDNA: asm volatile("ld.global.L1::no_allocate.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case LDEF: asm volatile("ld.global.L1::evict_first.u32 %0,[%1];" : "=r"(r0) : "l"(a) : "memory"); break;
      case CPA4: asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(s), "l"(a) : "memory"); break;
      case CPG16: asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(s), "l"(a) : "memory"); break;
      }
      acc += r0 + r1 + r2 + r3;
      if (acc == 0x12345678u) *sink = acc; /* waits for the data */
    }
  }
}
FILE *mf;
void P(const char *name, int warps, std::vector<Op> ops) {
  Prog p = {}; for (auto &o : ops) p.op[p.n++] = o;
  fprintf(mf, "prog,%s\n", name); prog<<<1, warps * 32, 16384>>>(p, buf, sink); CK(cudaDeviceSynchronize());
}
Op L(int kind, int off, int stride = 4, u32 mask = ~0u, int count = 1, int step = 128, int warp = -1, int wstep = 0) { return Op{kind, warp, off, stride, count, step, wstep, mask}; }
const Op S = {SYNC, 0, 0, 0, 0, 0, 0, 0};
void programs() {
  const u32 F = ~0u;
  P("ld s0; st line", 1, {L(LDG, 0, 4, 1), L(STG, 0)});
  P("st line; st line", 1, {L(STG, 0), L(STG, 0)});
  P("st half; st other half", 1, {L(STG, 0, 4, 0xffff), L(STG, 0, 4, 0xffff0000u)});
  P("st line; ld line", 1, {L(STG, 0), L(LDG, 0)});
  P("st w0; ld w0", 1, {L(STG, 0, 4, 1), L(LDG, 0, 4, 1)});
  P("st w0; ld w1", 1, {L(STG, 0, 4, 1), L(LDG, 0, 4, 2)});
  P("st w0; ld s1", 1, {L(STG, 0, 4, 1), L(LDG, 0, 4, 0x100)});
  P("st w0; ld w1; ld w0", 1, {L(STG, 0, 4, 1), L(LDG, 0, 4, 2), L(LDG, 0, 4, 1)});
  P("st byte; ld w0", 1, {L(STG8, 0, 4, 1), L(LDG, 0, 4, 1)});
  P("ld line; st line; ld line", 1, {L(LDG, 0), L(STG, 0), L(LDG, 0)});
  P("ld line; st w0; ld line", 1, {L(LDG, 0), L(STG, 0, 4, 1), L(LDG, 0)});
  P("st line wait; ld line", 2, {L(STG, 0, 4, F, 1, 0, 0), S, L(LDG, 65536, 4, F, 4, 128, 0), S, L(LDG, 0, 4, F, 1, 0, 1)});
  for (int k : {1, 2, 3, 4, 8, 15}) { char n[64]; sprintf(n, "ld s0; st %d others up; st line", k); P(n, 1, {L(LDG, 0, 4, 1), L(STG, 128, 4, F, k), L(STG, 0)}); }
  for (int k : {1, 3, 15}) { char n[64]; sprintf(n, "ld s0; st %d others down; st line", k); P(n, 1, {L(LDG, 0, 4, 1), L(STG, 128 * k, 4, F, k, -128), L(STG, 0)}); }
  for (int w : {2, 4, 8, 16}) { char n[64]; sprintf(n, "%d warps: ld s0; st own line", w); P(n, w, {L(LDG, 0, 4, 1), L(STG, 0, 4, F, 1, 0, -1, 128)}); }
  P("16 warps: ld s0; sync; st own line", 16, {L(LDG, 0, 4, 1), S, L(STG, 0, 4, F, 1, 0, -1, 128)});
  P("16 warps: one ld s0; sync; st own line", 16, {L(LDG, 0, 4, 1, 1, 0, 0), S, L(STG, 0, 4, F, 1, 0, -1, 128)});
  P("16 warps: ld line 0; sync; st own line", 16, {L(LDG, 0), S, L(STG, 0, 4, F, 1, 0, -1, 128)});
  P("16 warps: st own line; sync; st own line", 16, {L(STG, 0, 4, F, 1, 0, -1, 128), S, L(STG, 0, 4, F, 1, 0, -1, 128)});
  for (int n : {256, 512, 1024, 1536, 1664, 1792, 1856, 1920, 2048, 4096}) { char t[64]; sprintf(t, "ld %d lines twice", n); P(t, 1, {L(LDG, 0, 4, F, n), L(LDG, 0, 4, F, n)}); }
  for (int n : {16, 64, 256, 512, 1024, 1536, 1792, 1856, 2048}) { char t[64]; sprintf(t, "st %d lines twice", n); P(t, 1, {L(STG, 0, 4, F, n), L(STG, 0, 4, F, n)}); }
  for (int n : {64, 512, 1024, 1792}) { char t[64]; sprintf(t, "st %d lines; ld", n); P(t, 1, {L(STG, 0, 4, F, n), L(LDG, 0, 4, F, n)}); }
  for (int m : {64, 256, 1024, 1792}) { char t[64]; sprintf(t, "ld 1024; st %d others; ld 1024", m); P(t, 1, {L(LDG, 0, 4, F, 1024), L(STG, 1 << 20, 4, F, m), L(LDG, 0, 4, F, 1024)}); }
  for (int st : {256, 512, 1024, 2048, 4096, 8192, 65536}) for (int n : {64, 256, 512}) { char t[64]; sprintf(t, "ld %d lines step %d twice", n, st); P(t, 1, {L(LDG, 0, 4, F, n, st), L(LDG, 0, 4, F, n, st)}); }
  for (int st : {4096}) for (int n : {32, 64, 128, 256, 512}) { char t[64]; sprintf(t, "st %d lines step %d twice", n, st); P(t, 1, {L(STG, 0, 4, F, n, st), L(STG, 0, 4, F, n, st)}); }
  for (int n : {1, 8, 31}) { char t[64]; sprintf(t, "st 32 lines step 4096 an instruction, %d sweeps", n + 1); P(t, 1, {L(STG, 0, 4096, F, n + 1, 4)}); }
  P("8 warps: st 32 lines step 4096, 4 words apart 32", 8, {L(STG, 0, 4096, F, 4, 32, -1, 4)});
  P("8 warps sync: st 32 lines step 4096", 8, {L(STG, 0, 4096, F, 1, 0, 0, 4), S, L(STG, 0, 4096, F, 1, 0, 1, 4), S, L(STG, 0, 4096, F, 1, 0, 2, 4)});
  P("red line twice", 1, {L(RED, 0), L(RED, 0)});
  P("ld; red; ld", 1, {L(LDG, 0), L(RED, 0), L(LDG, 0)});
  P("atom line twice", 1, {L(ATOMG, 0), L(ATOMG, 0)});
  P("red scattered", 1, {L(RED, 0, 128)});
  P("red same word", 1, {L(RED, 0, 0)});
  for (auto k : {std::pair<int, const char *>{LDCG, "ld.cg"}, {LDV, "ld.volatile"}, {LDNC, "ld.nc"}, {LDNA, "ld.no_allocate"}, {LDEF, "ld.evict_first"}, {LDCV, "ld.cv"}, {LDLU, "ld.lu"}, {CPA4, "cp.async.ca 4"}}) {
    char t[64]; sprintf(t, "%s twice", k.second); P(t, 1, {L(k.first, 0), S, L(k.first, 0), S});
    sprintf(t, "ld; %s; ld", k.second); P(t, 1, {L(LDG, 0), S, L(k.first, 0), S, L(LDG, 0)}); }
  P("cp.async.cg 16 twice", 1, {L(CPG16, 0, 16), S, L(CPG16, 0, 16), S});
  P("ld; cp.async.cg 16; ld", 1, {L(LDG128, 0, 16), S, L(CPG16, 0, 16), S, L(LDG128, 0, 16)});
  P("st.cs; st.cs; ld", 1, {L(STCS, 0), L(STCS, 0), L(LDG, 0)});
  P("st.wt; st.wt; ld", 1, {L(STWT, 0), L(STWT, 0), L(LDG, 0)});
  P("ld128 stride 16", 1, {L(LDG128, 0, 16)}); P("ld128 stride 32", 1, {L(LDG128, 0, 32)}); P("ld128 stride 128", 1, {L(LDG128, 0, 128)}); P("ld128 same", 1, {L(LDG128, 0, 0)});
  P("ld64 stride 8", 1, {L(LDG64, 0, 8)}); P("ld64 stride 64", 1, {L(LDG64, 0, 64)});
  P("st128 stride 16", 1, {L(STG128, 0, 16)}); P("st128 stride 32", 1, {L(STG128, 0, 32)}); P("st128 stride 128", 1, {L(STG128, 0, 128)});
  P("st64 stride 8", 1, {L(STG64, 0, 8)}); P("st64 stride 64", 1, {L(STG64, 0, 64)});
  P("ld stride 128", 1, {L(LDG, 0, 128)}); P("ld stride 32", 1, {L(LDG, 0, 32)}); P("ld stride 8", 1, {L(LDG, 0, 8)}); P("ld stride 12", 1, {L(LDG, 0, 12)});
  P("st stride 128", 1, {L(STG, 0, 128)}); P("st stride 32", 1, {L(STG, 0, 32)}); P("st same", 1, {L(STG, 0, 0)}); P("st stride 8", 1, {L(STG, 0, 8)});
}
__global__ void empty(int *p) { if (p) *p = 1; }
__global__ void empty_static(int *p) { if (p) *p = 1; }

/* timing: cycles of a warp instruction, steady */
template <int K> __global__ void thr(char *b, int stride, int step, long smstep, int wspan, int iters, int wrap, u32 *out) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5; u32 acc = 0;
  char *base = b + blockIdx.x * smstep + (long)warp * wspan + (long)lane * stride;
  __syncthreads(); u32 t0 = clock();
#pragma unroll 8
  for (int i = 0; i < iters; i++) { char *a = base + (long)(i & wrap) * step; u32 r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    if (K == 0) asm volatile("ld.global.u32 %0,[%1];" : "=r"(r0) : "l"(a));
    if (K == 1) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(r0) : "l"(a));
    if (K == 2) asm volatile("st.global.u32 [%0],%1;" ::"l"(a), "r"(i));
    if (K == 3) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(a), "r"(i));
    if (K == 4) asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "l"(a));
    if (K == 5) asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(a), "r"(i));
    if (K == 6) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(a), "r"(i));
    acc += r0 + r1 + r2 + r3; }
  if (acc == 0x12345678u) out[100000] = acc;
  if (K == 2 || K == 3 || K == 5 || K == 6) __threadfence();
  __syncthreads(); u32 t1 = clock();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
}
template <int K> void T(const char *n, int ctas, int warps, int stride, int step, long smstep, int wspan, int iters, int wrap, u32 *out) {
  u32 h[132]; for (int r = 0; r < 3; r++) { thr<K><<<ctas, warps * 32>>>(buf, stride, step, smstep, wspan, iters, wrap, out); CK(cudaDeviceSynchronize()); }
  CK(cudaMemcpy(h, out, ctas * 4, cudaMemcpyDeviceToHost)); double s = 0, m = 0; for (int i = 0; i < ctas; i++) { s += h[i]; if (h[i] > m) m = h[i]; }
  printf("T %-34s ctas %3d warps %2d stride %5d step %6d wrap %4d : mean %9.0f max %9.0f  cycles/inst/SM %8.3f\n", n, ctas, warps, stride, step, wrap, s / ctas, m, s / ctas / iters / warps);
}
void timing() {
  u32 *out; CK(cudaMalloc(&out, 1 << 20));
  for (int ctas : {1, 8, 132}) for (int stride : {4, 8, 16, 32, 64, 128, 4096}) {
    int span = stride * 32 > 128 ? stride * 32 : 128; int steps = stride == 128 ? 2 : stride == 64 ? 4 : 8; long w8 = (long)span * steps; if (stride == 4096) w8 = span;
    int step = stride == 4096 ? 32 : span, wrap = stride == 4096 ? 3 : steps - 1; int wspan = stride == 4096 ? 128 : (int)w8;
    long smstep = stride == 4096 ? 4096L * 32 : w8 * 16;
    T<2>("stg32", ctas, 16, stride, step, smstep, wspan, 256, wrap, out);
    T<1>("ldg32.cg", ctas, 16, stride, step, smstep, wspan, 256, wrap, out);
    if (ctas == 1) T<0>("ldg32 L1", ctas, 16, stride, step, smstep, wspan, 256, 0, out);
    if (stride <= 128 && stride >= 16) { T<3>("stg128", ctas, 16, stride, step, smstep, wspan, 256, wrap, out);}
    if (stride <= 128 && stride >= 8) { T<5>("stg64", ctas, 16, stride, step, smstep, wspan, 256, wrap, out);}
    if (ctas == 1 && stride <= 128 && stride >= 16) T<4>("ldg128 L1", ctas, 16, stride, step, smstep, wspan, 256, 0, out);
  }
  for (int ctas : {1, 132}) { T<2>("stg32 same sector all warps", ctas, 8, 0, 0, 0, 0, 128, 0, out); T<2>("stg32 one word a line, stride 4096+32w", ctas, 8, 4096, 4, 4096L * 32, 32, 256, 7, out);
    T<2>("stg32 transposed: 8 warps one sector", ctas, 8, 4096, 32, 4096L * 32, 4, 256, 3, out);
    T<6>("red32 coalesced", ctas, 16, 4, 128, 16384, 1024, 256, 7, out); T<6>("red32 stride 128", ctas, 16, 128, 4096, 4096L * 8 * 16, 4096 * 8, 128, 7, out);
  }
}
int main(int argc, char **argv) {
  CK(cudaMalloc(&buf, 1L << 30)); CK(cudaMemset(buf, 0, 1L << 30)); CK(cudaMalloc(&sink, 4096));
  std::string m = argv[1]; mf = fopen(argv[2], "w");
  if (m == "shared") {
    run_shp<LD64>(*new auto(pats(8, 24)), mf); run_shp<LD128>(*new auto(pats(16, 36)), mf); run_shp<LD32>(*new auto(few(pats(4, 0), 20)), mf);
    run_shp<ST64>(*new auto(pats(8, 12)), mf); run_shp<ST128>(*new auto(pats(16, 12)), mf); run_shp<ST32>(*new auto(few(pats(4, 0), 18)), mf);
    run_shp<ATOM>(*new auto(pats(4, 12)), mf); run_shp<ATOMINC>(*new auto(pats(4, 12)), mf); run_shp<ATOMCAS>(*new auto(few(pats(4, 0), 18)), mf); run_shp<ATOMEXCH>(*new auto(few(pats(4, 0), 18)), mf);
    run_shp<LD8>(*new auto(few(pats(1, 0), 18)), mf); run_shp<LD16>(*new auto(few(pats(2, 0), 18)), mf); run_shp<ST8>(*new auto(few(pats(1, 0), 18)), mf);
    auto full = [](std::vector<Pat> v) { for (auto &p : v) p.mask = ~0u; return v; };
    run_shp<LDSM1>(*new auto(full(few(pats(16, 0), 18))), mf); run_shp<LDSM2>(*new auto(full(few(pats(16, 0), 18))), mf); run_shp<LDSM4>(*new auto(full(pats(16, 8))), mf);
    run_shp<CP4>(*new auto(few(pats(4, 0), 16)), mf); run_shp<CP8>(*new auto(few(pats(8, 0), 16)), mf); run_shp<CP16>(*new auto(pats(16, 4)), mf);
  } else if (m == "prog") programs();
  else if (m == "timing") timing();
  else if (m == "carve") {
    CK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (int t : {32, 64, 128, 256, 384, 512, 1024}) for (int s : {0, 128, 512, 1024, 1100, 2048, 3072, 4096, 6144, 8192, 10240, 12288, 16384, 20480, 24576, 32768, 40960, 49152, 65536, 98304, 131072}) { fprintf(mf, "carve,%d,%d\n", t, s); empty<<<1, t, s>>>(nullptr); CK(cudaDeviceSynchronize()); }
  }
  fclose(mf);
}
