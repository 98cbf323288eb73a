/* A loop that lanes leave at chosen iterations: runs one warp a line of argv[1] (32 iterations, 3 to 64)
 * and writes what the lanes counted to argv[2]. Warp instructions come from Nsight Compute:
 *   nvcc -O3 -arch=sm_90 -o loop_exits loop_exits.cu
 *   ncu --metrics smsp__inst_executed.sum --cache-control none --clock-control none \
 *       --csv --page raw ./loop_exits PATTERNS COUNTED
 * The loop is the one of the suite's mandelbrot: points are searched that escape when they should. */
#include <cstdio>
#include <vector>

__global__ void leave(const float *cxs, const float *cys, unsigned *out, int limit)
{
    float cx = cxs[threadIdx.x], cy = cys[threadIdx.x], x = 0, y = 0;
    int k = 0;
    while (k < limit && x * x + y * y < 4.f) {
        float t = x * x - y * y + cx;
        y = 2.f * x * y + cy;
        x = t;
        ++k;
    }
    out[threadIdx.x] = k;
}

static int escapes(float cx, float cy)
{
    float x = 0, y = 0;
    int k = 0;
    for (; k < 64 && x * x + y * y < 4.f; k++) {
        float t = x * x - y * y + cx;
        y = 2.f * x * y + cy;
        x = t;
    }
    return k;
}

int main(int argc, char **argv)
{
    std::vector<float> px(65), py(65);
    for (unsigned i = 0; i < 2000000; i++) {
        float cx = -2.f + 3.f * ((i * 2654435761u) >> 16) / 65536.f;
        float cy = -1.2f + 2.4f * (((i * 40503u + 7) * 2246822519u) >> 16) / 65536.f;
        int k = escapes(cx, cy);
        if (px[k] == 0 && py[k] == 0)
            px[k] = cx, py[k] = cy;
    }
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *counted = in ? fopen(argv[2], "w") : NULL;
    if (!counted)
        return 1;
    float *dx, *dy;
    unsigned *out;
    cudaMalloc(&dx, 128);
    cudaMalloc(&dy, 128);
    cudaMalloc(&out, 128);
    for (;;) {
        float x[32], y[32];
        unsigned got[32];
        for (int i = 0; i < 32; i++) {
            int k;
            if (fscanf(in, "%d", &k) != 1)
                return fclose(counted);
            x[i] = px[k], y[i] = py[k];
        }
        cudaMemcpy(dx, x, 128, cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y, 128, cudaMemcpyHostToDevice);
        leave<<<1, 32>>>(dx, dy, out, 64);
        cudaMemcpy(got, out, 128, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 32; i++)
            fprintf(counted, "%u%c", got[i], i < 31 ? ' ' : '\n');
    }
}
