__global__ void nothing(unsigned *p) { if (p == nullptr) __trap(); }
int main() { unsigned *p; cudaMalloc(&p, 64 << 20);
  int blocks[] = {32, 128, 256, 1024}; int per[] = {0, 1, 2, 4, 8};
  for (int b = 0; b < 4; b++) for (int k = 0; k < 5; k++) { if (per[k] * blocks[b] > 2048) continue;
      int grid = per[k] ? 132 * per[k] : 1; for (int r = 0; r < 8; r++) nothing<<<grid, blocks[b]>>>(p); }
  return cudaDeviceSynchronize(); }
