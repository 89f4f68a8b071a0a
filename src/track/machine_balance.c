/*
 * machine_balance.c - measure how many FLOPs one thread computes, and how many bytes it reads, in a second
 *
 * FLOPs: CHAINS independent multiply-adds of vectors of doubles, which the processor computes at the same time.
 * x = x * a + b with a < 1 converges, so that no number becomes infinite or subnormal.  The loop is instantiated for
 * each vector size of x86-64, and once for other processors; the compiler may fuse multiplication and addition.
 * Bytes: a sum over 64 MiB, which is more than the caches of most processors hold.
 *
 * The results go into a volatile variable, so that the compiler must compute them.  Both are the best of several
 * rounds, because other programs can only make a round slower.
 */
#include "track/status.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	CHAINS = 12,
	STEPS = 100000,				/* 0.5 to 2 ms per round */
	FLOP_ROUNDS = 3,
	BYTES = 64 * 1024 * 1024,
	BYTE_ROUNDS = 2,			/* number of rounds that read the memory; it was written before */
};

static volatile double sink;

#define COMPUTE(name, lanes, attributes)							\
	typedef double name##_vector __attribute__((vector_size(sizeof(double) * (lanes))));	\
	attributes static double name(double a, double b)					\
	{											\
		name##_vector x[CHAINS], scale = { 0 }, add = { 0 }, sum = { 0 };		\
												\
		scale += a;									\
		add += b;									\
		for (int c = 0; c < CHAINS; c++)						\
			x[c] = add * (double)c;		/* equal chains would be computed once */ \
		for (long i = 0; i < STEPS; i++) {						\
			_Pragma("GCC unroll 12")						\
			for (int c = 0; c < CHAINS; c++)					\
				x[c] = x[c] * scale + add;					\
		}										\
		for (int c = 0; c < CHAINS; c++)						\
			sum += x[c];								\
		return sum[0];									\
	}

COMPUTE(compute_2, 2, )
#ifdef __x86_64__
COMPUTE(compute_4, 4, __attribute__((target("avx2,fma"))))
COMPUTE(compute_8, 8, __attribute__((target("avx512f"))))
#endif

static const struct {
	double (*run)(double a, double b);
	int lanes;
} computations[] = {
	{ compute_2, 2 },
#ifdef __x86_64__
	{ compute_4, 4 },
	{ compute_8, 8 },
#endif
};

/* Return the index of the computation with the widest vectors that this processor supports. */
static int widest(void)
{
#ifdef __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		return 2;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return 1;
#endif
	return 0;
}

static double flops_per_s(void)
{
	double best = 0;

	/* Measure all supported vector sizes, because on some processors the widest one is slower. */
	for (int i = widest(); i >= 0; i--)
		for (int round = 0; round < FLOP_ROUNDS; round++) {
			uint64_t begin = hd_now_ns(), ns;
			double rate;

			sink = computations[i].run(0.999 + 1e-9 * (double)round, 0.001);
			ns = hd_now_ns() - begin;
			rate = 2.0 * CHAINS * STEPS * computations[i].lanes / ((double)(ns ? ns : 1) / 1e9);
			if (rate > best)
				best = rate;
		}
	return best;
}

static uint64_t sum_of(const uint64_t *v, size_t n)
{
	uint64_t sum[8] = { 0 };

	for (size_t i = 0; i + 8 <= n; i += 8)
		for (int k = 0; k < 8; k++)
			sum[k] += v[i + (size_t)k];
	for (int k = 1; k < 8; k++)
		sum[0] += sum[k];
	return sum[0];
}

/* Return the bytes that one thread reads in a second, or 0 if there is no memory. */
static double bytes_per_s(void)
{
	uint64_t *v = malloc(BYTES);
	double best = 0;

	if (!v)
		return 0;
	memset(v, 1, BYTES);
	for (int round = 0; round < BYTE_ROUNDS; round++) {
		uint64_t begin = hd_now_ns(), ns;
		double rate;

		sink = (double)sum_of(v, BYTES / sizeof(*v));
		ns = hd_now_ns() - begin;
		rate = BYTES / ((double)(ns ? ns : 1) / 1e9);
		if (rate > best)
			best = rate;
	}
	free(v);
	return best;
}

static struct hd_machine_balance measured;

static void measure(void)
{
	double bytes = bytes_per_s();

	if (bytes > 0)
		measured = (struct hd_machine_balance){ flops_per_s(), bytes };
}

int hd_machine_balance(struct hd_machine_balance *out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!out)
		return HD_TRACK_INVALID;
	pthread_once(&once, measure);
	*out = measured;
	return measured.bytes_per_s > 0 ? HD_TRACK_OK : HD_TRACK_NOMEM;
}
