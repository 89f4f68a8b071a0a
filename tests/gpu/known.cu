/*
 * known.cu - a CUDA program that does known work on the GPU and writes the true values, for tests/gpu/real.sh
 *
 *     known run TRUTH [SECONDS]     40 spins of 1 ms from train(), 20 of 3 ms from validate(), a graph of 5 kernels 10
 *                                   times, 8 copies of 256 MiB from pinned memory, 4 GiB of device memory, 500 ms
 *                                   without work, then SECONDS of load (default 0); ends with status 3
 *     known launches TRUTH N        N launches of an empty kernel; TRUTH has the mean time of a launch in us
 *     known abort TRUTH             as `run`, but abort() is called after the spins from train()
 *
 * TRUTH is a file of lines `NAME VALUE`: durations by CUDA events, times of CLOCK_MONOTONIC, bytes, and the percentage
 * of the time in which the GPU had no work.  The standard output is the same in each run, so that runs can be compared.
 */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { SHORTS = 40, LONGS = 20, GRAPHS = 10, NODES = 5, COPIES = 8, SPINS = SHORTS + LONGS };
static const size_t copy_bytes = (size_t)256 << 20, device_bytes = (size_t)4 << 30;

static FILE *truth;
static cudaStream_t stream;
static cudaEvent_t before[SPINS], after[SPINS];
static unsigned int nspins;

static void check(cudaError_t rc, const char *what)
{
	if (rc == cudaSuccess)
		return;
	fprintf(stderr, "known: %s: %s\n", what, cudaGetErrorString(rc));
	exit(rc == cudaErrorNoDevice || rc == cudaErrorInsufficientDriver ? 77 : 1);
}
#define CHECK(call) check(call, #call)

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

/* ---- kernels: the spins have one thread, which reads the GPU's clock until the time is over ---- */

__device__ void spin(unsigned long long ns)
{
	unsigned long long begin, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - begin < ns);
}

__global__ void short_spin(unsigned long long ns) { spin(ns); }
__global__ void long_spin(unsigned long long ns) { spin(ns); }
__global__ void node_spin(unsigned long long ns) { spin(ns); }
__global__ void empty_kernel() { }
/* Use all of the GPU, so that it draws power. */
__global__ void load_kernel(float *out, int rounds)
{
	float a = threadIdx.x, b = blockIdx.x + 1.0f;

	for (int i = 0; i < rounds; i++)
		a = a * 1.0001f + b;
	out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

/* ---- the two call paths ---- */

static NOINLINE void train(void)
{
	CHECK(cudaEventRecord(before[nspins], stream));
	short_spin<<<1, 1, 0, stream>>>(1000000);
	CHECK(cudaEventRecord(after[nspins++], stream));
}

static NOINLINE void validate(void)
{
	CHECK(cudaEventRecord(before[nspins], stream));
	long_spin<<<1, 1, 0, stream>>>(3000000);
	CHECK(cudaEventRecord(after[nspins++], stream));
}

static NOINLINE cudaGraphExec_t make_graph(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < NODES; i++)
		node_spin<<<1, 1, 0, stream>>>(100000);
	CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 12000
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
#else
	CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
#endif
	return exec;
}

static NOINLINE void replay(cudaGraphExec_t exec)
{
	CHECK(cudaGraphLaunch(exec, stream));
}

static NOINLINE void upload(void *to, const void *from)
{
	CHECK(cudaMemcpyAsync(to, from, copy_bytes, cudaMemcpyHostToDevice, stream));
}

static double elapsed_ns(unsigned int first, unsigned int n)
{
	double sum = 0;

	for (unsigned int i = first; i < first + n; i++) {
		float ms;

		CHECK(cudaEventElapsedTime(&ms, before[i], after[i]));
		sum += (double)ms * 1e6;
	}
	return sum;
}

static void run(bool end_early, double load_seconds)
{
	cudaEvent_t graph_begin, graph_end, copy_begin, copy_end;
	cudaGraphExec_t exec;
	unsigned long long begin, end, load_ns = 0;
	float graph_ms, copy_ms;
	size_t free_before, free_after, total;
	void *device, *pinned;
	double busy;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemGetInfo(&free_before, &total));
	CHECK(cudaMalloc(&device, device_bytes));
	CHECK(cudaMemGetInfo(&free_after, &total));
	CHECK(cudaMallocHost(&pinned, copy_bytes));
	memset(pinned, 1, copy_bytes);
	for (int i = 0; i < SPINS; i++) {
		CHECK(cudaEventCreate(&before[i]));
		CHECK(cudaEventCreate(&after[i]));
	}
	CHECK(cudaEventCreate(&graph_begin));
	CHECK(cudaEventCreate(&graph_end));
	CHECK(cudaEventCreate(&copy_begin));
	CHECK(cudaEventCreate(&copy_end));
	exec = make_graph();
	CHECK(cudaGraphUpload(exec, stream));
	CHECK(cudaDeviceSynchronize());

	begin = now_ns();
	for (int i = 0; i < SHORTS; i++)
		train();
	CHECK(cudaStreamSynchronize(stream));
	if (end_early) {
		printf("known: abort\n");
		fflush(stdout);
		sleep(3);		/* longer than the library waits between two writes */
		abort();
	}
	for (int i = 0; i < LONGS; i++)
		validate();
	CHECK(cudaEventRecord(graph_begin, stream));
	for (int i = 0; i < GRAPHS; i++)
		replay(exec);
	CHECK(cudaEventRecord(graph_end, stream));
	CHECK(cudaStreamSynchronize(stream));
	usleep(500000);
	CHECK(cudaEventRecord(copy_begin, stream));
	for (int i = 0; i < COPIES; i++)
		upload(device, pinned);
	CHECK(cudaEventRecord(copy_end, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (unsigned long long from = now_ns(); (double)(now_ns() - from) < load_seconds * 1e9; ) {
		unsigned long long at = now_ns();

		load_kernel<<<1024, 256, 0, stream>>>((float *)device, 2000000);
		CHECK(cudaStreamSynchronize(stream));
		load_ns += now_ns() - at;
	}
	CHECK(cudaDeviceSynchronize());
	end = now_ns();

	CHECK(cudaEventElapsedTime(&graph_ms, graph_begin, graph_end));
	CHECK(cudaEventElapsedTime(&copy_ms, copy_begin, copy_end));
	busy = elapsed_ns(0, SPINS) + (double)graph_ms * 1e6 + (double)copy_ms * 1e6 + (double)load_ns;
	fprintf(truth, "short_ns %.0f\nlong_ns %.0f\ngraph_ns %.0f\n", elapsed_ns(0, SHORTS), elapsed_ns(SHORTS, LONGS),
		(double)graph_ms * 1e6);
	fprintf(truth, "copy_bytes %zu\ncopy_gbps %.2f\n", COPIES * copy_bytes,
		(double)(COPIES * copy_bytes) / ((double)copy_ms * 1e6));
	fprintf(truth, "begin_ns %llu\nend_ns %llu\nidle_pct %.2f\n", begin, end,
		100 * (1 - busy / (double)(end - begin)));
	fprintf(truth, "device_bytes %zu\n", free_before - free_after);
	printf("known: done\n");
}

static void launches(unsigned int n)
{
	unsigned long long begin;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < 1000; i++)
		empty_kernel<<<1, 1, 0, stream>>>();
	CHECK(cudaDeviceSynchronize());
	begin = now_ns();
	for (unsigned int i = 0; i < n; i++)
		empty_kernel<<<1, 1, 0, stream>>>();
	CHECK(cudaDeviceSynchronize());
	fprintf(truth, "launch_us %.3f\n", (double)(now_ns() - begin) / 1e3 / n);
	printf("known: %u launches\n", n);
}

int main(int argc, char **argv)
{
	if (argc < 3 || !(truth = fopen(argv[2], "w"))) {
		fprintf(stderr, "usage: known run|launches|abort TRUTH [NUMBER]\n");
		return 2;
	}
	if (!strcmp(argv[1], "launches"))
		launches(argc > 3 ? (unsigned int)atoi(argv[3]) : 200000);
	else
		run(!strcmp(argv[1], "abort"), argc > 3 ? atof(argv[3]) : 0);
	fclose(truth);
	return 3;
}
