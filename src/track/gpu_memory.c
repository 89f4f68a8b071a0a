/*
 * gpu_memory.c - the memory of a GPU: hd_gpu_memory() of hotdrift.h
 *
 * NVML is loaded by the first call and stays loaded until the profiler is freed.  A forked child must not use the NVML
 * that its parent initialised.  So the child opens NVML again and abandons the handle of the parent.
 */
#include "track/gpumem.h"
#include "track/profiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct gpu_state {
	pthread_mutex_t lock;
	struct hd_gpumem *gpus;			/* NULL: not open */
	pid_t owner;				/* the process that opened `gpus` */
	size_t devices;
	uint64_t last[HD_POWER_DOMAINS_MAX];	/* used bytes of each GPU at the last call */
	bool seen[HD_POWER_DOMAINS_MAX];
};

static int open_gpus(struct gpu_state *g)
{
	struct hd_power_config config = hd_power_config();
	struct hd_gpumem_status why;
	int rc;

	if (g->gpus && g->owner == getpid())
		return HD_TRACK_OK;
	g->gpus = NULL;
	rc = hd_gpumem_open(&g->gpus, &config, &why);
	if (rc < 0)
		return rc;
	if (!g->gpus)
		return why.state == HD_POWER_ABSENT ? HD_TRACK_NONE : HD_TRACK_UNSUPPORTED;
	g->owner = getpid();
	g->devices = hd_gpumem_devices(g->gpus);
	if (g->devices > HD_POWER_DOMAINS_MAX)
		g->devices = HD_POWER_DOMAINS_MAX;
	return HD_TRACK_OK;
}

static int read_device(struct gpu_state *g, unsigned device, struct hd_gpu_memory *out)
{
	struct hd_gpumem_sample s;
	int rc = open_gpus(g);

	if (rc < 0)
		return rc;
	if (device >= g->devices)
		return HD_TRACK_NONE;
	if (!hd_gpumem_read(g->gpus, device, &s) || !s.has_memory)
		return HD_TRACK_UNSUPPORTED;
	*out = (struct hd_gpu_memory){ .used_bytes = s.used_bytes, .free_bytes = s.free_bytes,
				       .total_bytes = s.total_bytes };
	if (g->seen[device])
		out->delta_bytes = (int64_t)(s.used_bytes - g->last[device]);
	g->seen[device] = true;
	g->last[device] = s.used_bytes;
	return HD_TRACK_OK;
}

int hd_gpu_memory(struct hd_profiler *p, unsigned device, struct hd_gpu_memory *out)
{
	struct gpu_state *g = hd_profiler_part(p, HD_PART_GPU);
	int rc;

	if (!g)
		return HD_TRACK_NOMEM;
	if (!out)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&g->lock);
	rc = read_device(g, device, out);
	pthread_mutex_unlock(&g->lock);
	return rc;
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int gpu_create(void **state, const struct hd_profiler *p)
{
	struct gpu_state *g = calloc(1, sizeof(*g));

	(void)p;
	if (!g)
		return HD_TRACK_NOMEM;
	pthread_mutex_init(&g->lock, NULL);
	*state = g;
	return HD_TRACK_OK;
}

static void gpu_reset(void *state)
{
	struct gpu_state *g = state;

	pthread_mutex_lock(&g->lock);
	for (size_t i = 0; i < HD_POWER_DOMAINS_MAX; i++)
		g->seen[i] = false;
	pthread_mutex_unlock(&g->lock);
}

static void gpu_release(void *state)
{
	struct gpu_state *g = state;

	if (g->owner == getpid())
		hd_gpumem_close(g->gpus);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static void gpu_lock(void *state, bool on)
{
	struct gpu_state *g = state;

	hd_part_lock(&g->lock, on);
}

const struct hd_part_type hd_part_gpu = { gpu_create, gpu_reset, gpu_release, gpu_lock };
