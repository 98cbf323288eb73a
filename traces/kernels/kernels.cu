// Kernels of a small CUDA suite, each launched as launches.yaml says. Inputs are generated, so a run
// needs no data files.
#include <cuda_fp16.h>
#include <mma.h>
#include <cuda_pipeline.h>
#define K extern "C" __global__ void
typedef unsigned int u32;
typedef unsigned long long u64;

// ---- streaming ---------------------------------------------------------------------------------
K vecadd(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
K saxpy4(const float4 *x, float4 *y, float s, int n4) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 v = x[i], w = y[i];
    w.x += s * v.x; w.y += s * v.y; w.z += s * v.z; w.w += s * v.w;
    y[i] = w;
  }
}

// ---- control flow ------------------------------------------------------------------------------
K diverge(float *out, int paths, int by_lane, int work) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int p = (by_lane ? (threadIdx.x & 31) : (i >> 5)) % paths;
  float x = 1.f + 1e-7f * i;
  if (p == 0) { for (int k = 0; k < work; ++k) x = fmaf(x, 0.9999f, 1e-4f); }
  else if (p == 1) { for (int k = 0; k < work; ++k) x = fmaf(x, 1.0001f, -1e-4f); }
  else if (p == 2) { for (int k = 0; k < work; ++k) x = fmaf(x, 0.9998f, 2e-4f); }
  else { for (int k = 0; k < work; ++k) x = fmaf(x, 1.0002f, -2e-4f); }
  out[i] = x;
}

// ---- shared memory, barriers, shuffles, atomics ----------------------------------------------------
template <int PAD> __device__ __forceinline__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
K transpose_padded(const float *in, float *out, int n) { transpose<1>(in, out, n); }
K reduce_sum(const float *x, float *out, int n) {
  __shared__ float part[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f;
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}
K histogram(const u32 *x, u32 *bins, int n) {
  __shared__ u32 h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[x[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

// ---- linear algebra ------------------------------------------------------------------------------
K matmul_tiled(const float *A, const float *B, float *C, int n) {
  __shared__ float a[16][16], b[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float s = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    a[threadIdx.y][threadIdx.x] = A[y * n + k0 + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) s = fmaf(a[threadIdx.y][k], b[k][threadIdx.x], s);
    __syncthreads();
  }
  C[y * n + x] = s;
}
// 64x64 tile, 16x16 threads, 4x4 outputs each: the classical register-blocked sgemm
K sgemm_blocked(const float *A, const float *B, float *C, int n) {
  __shared__ __align__(16) float a[16][64 + 4], b[16][64];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    int r = threadIdx.x >> 2, c4 = (threadIdx.x & 3) * 4;
    float4 va = *(const float4 *)&A[(row + r) * n + k0 + c4];
    a[c4][r] = va.x; a[c4 + 1][r] = va.y; a[c4 + 2][r] = va.z; a[c4 + 3][r] = va.w;
    *(float4 *)&b[threadIdx.x >> 4][(threadIdx.x & 15) * 4] = *(const float4 *)&B[(k0 + (threadIdx.x >> 4)) * n + col + (threadIdx.x & 15) * 4];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float4 x = *(float4 *)&a[k][ty * 4], y = *(float4 *)&b[k][tx * 4];
      float xa[4] = {x.x, x.y, x.z, x.w}, yb[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(xa[i], yb[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) *(float4 *)&C[(row + ty * 4 + i) * n + col + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
// one warp computes a 16x16 tile with the tensor cores through mma.sync
K hgemm_wmma(const __half *A, const __half *B, float *C, int n) {
  using namespace nvcuda::wmma;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, tiles = n / 16, ti = warp / tiles, tj = warp % tiles;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(a, A + ti * 16 * n + k, n);
    load_matrix_sync(b, B + k * n + tj * 16, n);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(C + ti * 16 * n + tj * 16, c, n, mem_row_major);
}
K spmv_csr(const u32 *row, const u32 *col, const float *val, const float *x, float *y, int rows, u32 mask) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (u32 k = row[r]; k < row[r + 1]; ++k) s += val[k] * x[col[k] & mask];
  y[r] = s;
}

// ---- application-like kernels -----------------------------------------------------------------------
K stencil2d(const float *in, const float *power, float *out, int n) {
  __shared__ float t[18][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  t[ly][lx] = in[y * n + x];
  if (threadIdx.x == 0) t[ly][0] = x > 0 ? in[y * n + x - 1] : t[ly][lx];
  if (threadIdx.x == 15) t[ly][17] = x < n - 1 ? in[y * n + x + 1] : t[ly][lx];
  if (threadIdx.y == 0) t[0][lx] = y > 0 ? in[(y - 1) * n + x] : t[ly][lx];
  if (threadIdx.y == 15) t[17][lx] = y < n - 1 ? in[(y + 1) * n + x] : t[ly][lx];
  __syncthreads();
  float c = t[ly][lx];
  out[y * n + x] = c + 0.1f * (t[ly - 1][lx] + t[ly + 1][lx] - 2 * c) + 0.1f * (t[ly][lx - 1] + t[ly][lx + 1] - 2 * c) + 0.01f * power[y * n + x];
}
K softmax_row(const float *x, float *y, int cols) {
  __shared__ float red[8];
  const float *r = x + (size_t)blockIdx.x * cols;
  float m = -1e30f, s = 0;
  for (int i = threadIdx.x; i < cols; i += 256) m = fmaxf(m, r[i]);
#pragma unroll
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = m;
  __syncthreads();
  m = red[0];
#pragma unroll
  for (int w = 1; w < 8; ++w) m = fmaxf(m, red[w]);
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += 256) s += __expf(r[i] - m);
#pragma unroll
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = s;
  __syncthreads();
  s = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) s += red[w];
  s = 1.f / s;
  for (int i = threadIdx.x; i < cols; i += 256) y[(size_t)blockIdx.x * cols + i] = __expf(r[i] - m) * s;
}
K async_copy(const float4 *x, float4 *y, int tiles) {
  __shared__ float4 buf[2][256];
  const float4 *src = x + (size_t)blockIdx.x * tiles * 256 + threadIdx.x;
  float4 *dst = y + (size_t)blockIdx.x * tiles * 256 + threadIdx.x;
  __pipeline_memcpy_async(&buf[0][threadIdx.x], src, 16);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) __pipeline_memcpy_async(&buf[(t + 1) & 1][threadIdx.x], src + (t + 1) * 256, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = buf[t & 1][threadIdx.x ^ 1];
    v.x += 1.f;
    dst[t * 256] = v;
    __syncthreads();
  }
}
K local_array(const u32 *x, u32 *y, int rounds) {
  u32 a[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 v = x[i];
  for (int k = 0; k < 32; ++k) a[k] = v * (k + 1);
  for (int r = 0; r < rounds; ++r) { u32 j = (v >> (r & 15)) & 31; v += a[j]; a[(j + r) & 31] = v; }
  y[i] = v;
}
