/*
 * cupti.c - a stand-in for libcupti: it makes activity records of synthetic launches
 *
 * It uses no GPU and measures nothing: the test program chooses the durations.  Its device is named "stand-in".  The
 * records have the layout of records.h.
 *
 *     STANDIN_SUBSCRIBE=39      return value of cuptiSubscribe()
 *     STANDIN_ENABLE=KIND:RC    cuptiActivityEnable() of this kind fails with RC
 *     STANDIN_KERNEL=4          version of CUpti_ActivityKernel, 4 to 10 (default 10; 0: all in turn)
 *     STANDIN_DROP=7            every 7th kernel is dropped and counted
 *     STANDIN_NO_CLOCK=1        the timestamp callback is rejected
 *     STANDIN_VERSION=12        the version that cuptiGetVersion() reports
 *
 * The test program calls standin_work() for each call of the CUDA API.  It does what the API does under CUPTI: it calls
 * the callbacks at entry and return, and adds a record.
 */
#include "gpu/standin/records.h"
#include "gpu/standin/standin.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint32_t result;

static void (*callback)(void *, uint32_t, uint32_t, const void *);
static void *callback_user;
static void (*request)(uint8_t **, size_t *, size_t *);
static void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t);
static uint64_t (*now)(void);
/* enabled: by kind of activity; wanted: callbacks by domain and callback ID */
static uint8_t enabled[64], wanted[3][1024];
static uint8_t *buffer;
static size_t room, used, dropped;
static uint32_t last_correlation;
static _Atomic unsigned int flushes;
static unsigned int kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned int number(const char *name, unsigned int otherwise)
{
	const char *s = getenv(name);

	return s && *s ? (unsigned int)strtoul(s, NULL, 10) : otherwise;
}

/* Return the time of the clock that is used without a timestamp callback. */
static uint64_t real_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- what the library under test calls ---- */

result cuptiGetVersion(uint32_t *version)
{
	*version = number("STANDIN_VERSION", 130000);
	return 0;
}

result cuptiGetResultString(result rc, const char **text)
{
	*text = rc == 39 ? "STANDIN_MULTIPLE_SUBSCRIBERS" : "STANDIN_UNKNOWN";
	return 0;
}

result cuptiSubscribe(void **subscriber, void (*fn)(void *, uint32_t, uint32_t, const void *), void *user)
{
	result rc = number("STANDIN_SUBSCRIBE", 0);

	if (rc)
		return rc;
	callback = fn;
	callback_user = user;
	*subscriber = &callback;
	return 0;
}

result cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	if (subscriber != &callback || domain < 1 || domain > 2 || cbid >= sizeof(wanted[0]) || cbid > 500)
		return 1;		/* like an older CUPTI, which rejects IDs that it does not know */
	wanted[domain][cbid] = (uint8_t)enable;
	return 0;
}

result cuptiActivityRegisterCallbacks(void (*req)(uint8_t **, size_t *, size_t *),
				      void (*comp)(void *, uint32_t, uint8_t *, size_t, size_t))
{
	request = req;
	complete = comp;
	return 0;
}

result cuptiActivityRegisterTimestampCallback(uint64_t (*fn)(void))
{
	for (size_t i = 0; i < sizeof(enabled); i++)
		if (enabled[i])
			return 15;	/* too late: the callback must be set before the first kind is enabled */
	if (number("STANDIN_NO_CLOCK", 0))
		return 1;
	now = fn;
	return 0;
}

static void add(const void *record, size_t bytes);

result cuptiActivityEnable(uint32_t kind)
{
	const char *s = getenv("STANDIN_ENABLE"), *rc = s ? strchr(s, ':') : NULL;

	if (rc && strtoul(s, NULL, 10) == kind)
		return (result)strtoul(rc + 1, NULL, 10);
	if (kind >= sizeof(enabled))
		return 1;
	enabled[kind] = 1;
	if (kind == 8)
		add(&(struct standin_device){ .kind = 8,
			    .bandwidth = 1000000,
			    .memory = UINT64_C(16) << 30,
			    .multiprocessors = 7,
			    .major = 9,
			    .minor = 1,
			    .id = 0,
			    .name = "stand-in" },
			sizeof(struct standin_device));
	return 0;
}

static void hand_over(void)
{
	uint8_t *full = buffer;
	size_t bytes = room, valid = used;

	buffer = NULL;
	room = used = 0;
	if (full)
		complete(NULL, 0, full, bytes, valid);
}

result cuptiActivityFlushAll(uint32_t flag)
{
	(void)flag;
	flushes++;
	pthread_mutex_lock(&lock);
	hand_over();
	pthread_mutex_unlock(&lock);
	return 0;
}

/* Records differ in size.  add() stores the size in 8 bytes before each record; it includes these bytes. */
result cuptiActivityGetNextRecord(uint8_t *from, size_t valid, uint8_t **record)
{
	uint8_t *next = from;
	uint64_t bytes;

	if (*record) {
		memcpy(&bytes, *record - 8, sizeof(bytes));
		next = *record - 8 + bytes;
	}
	if (next + 8 > from + valid)
		return 12;		/* CUPTI_ERROR_MAX_LIMIT_REACHED: there are no more records */
	*record = next + 8;
	return 0;
}

result cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
	(void)context;
	(void)stream;
	*n = dropped;
	dropped = 0;
	return 0;
}

/* ---- what the test program calls ---- */

/*
 * Add a record.  The caller holds the lock, except for the record of the device, which is added before threads start.
 */
static void add(const void *record, size_t bytes)
{
	uint64_t with_size = 8 + ((bytes + 7) & ~(size_t)7);
	size_t max = 0;

	if (buffer && used + with_size > room)
		hand_over();
	if (!buffer) {
		request(&buffer, &room, &max);
		used = 0;
	}
	if (!buffer || room < with_size) {
		dropped++;
		return;
	}
	memcpy(buffer + used, &with_size, 8);
	memcpy(buffer + used + 8, record, bytes);
	used += with_size;
}

/*
 * Return a permanent copy of `name`, as CUPTI does: the library with the kernel may be unloaded before records are
 * read.
 */
static const char *kept(const char *name)
{
	static struct { char name[64]; } names[64];
	unsigned int i = 0;

	while (i < 63 && names[i].name[0] && strcmp(names[i].name, name))
		i++;
	if (!names[i].name[0])
		strncpy(names[i].name, name, sizeof(names[i].name) - 1);
	return names[i].name;
}

static void add_kernel(const struct standin_kernel *k)
{
	unsigned int version = number("STANDIN_KERNEL", 10), drop = number("STANDIN_DROP", 0);

	if (!version)
		version = 4 + kernels % 7;
	kernels++;
	if (drop && kernels % drop == 0) {
		dropped++;
		return;
	}
	add(k, standin_kernel_bytes[version - 4]);
}

static void call(uint32_t site, uint32_t domain, uint32_t cbid, uint32_t correlation)
{
	struct standin_call c = { .site = site, .function = "standin", .correlation = correlation };

	if (callback && wanted[domain][cbid])
		callback(callback_user, domain, cbid, &c);
}

void standin_work(const struct standin_work *w)
{
	uint32_t correlation = __atomic_add_fetch(&last_correlation, 1, __ATOMIC_RELAXED);
	uint64_t start;

	if (!callback)
		return;
	if (w->runtime)
		call(0, 2, w->runtime, correlation);
	if (w->driver)
		call(0, 1, w->driver, correlation);
	start = now ? now() : real_now();
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < w->kernels && enabled[10]; i++) {
		add_kernel(&(struct standin_kernel){ .kind = 10,
			.start = start,
			.end = start + w->ns,
			.device = 0,
			.context = 1,
			.stream = w->stream,
			.grid = { 4, 2, 1 },
			.block = { 128, 1, 1 },
			.registers = 32,
			.correlation = correlation,
			.name = kept(w->kernel),
			.graph_node = w->kernels > 1 ? 100 + i : 0 });
		start += w->ns;
	}
	if (w->copy && enabled[1])
		add(&(struct standin_copy){ .kind = 1,
			    .copy = w->copy,
			    .from = 1,
			    .to = 3,
			    .bytes = w->bytes,
			    .start = start,
			    .end = start + w->ns,
			    .stream = w->stream,
			    .correlation = correlation },
			sizeof(struct standin_copy));
	if (w->between && enabled[22])
		add(&(struct standin_copy2){ .kind = 22,
			    .copy = 10,
			    .from = 3,
			    .to = 3,
			    .bytes = w->bytes,
			    .start = start,
			    .end = start + w->ns,
			    .stream = w->stream,
			    .correlation = correlation },
			sizeof(struct standin_copy2));
	if (w->set && enabled[2])
		add(&(struct standin_set){ .kind = 2,
			    .bytes = w->bytes,
			    .start = start,
			    .end = start + w->ns,
			    .memory = 3,
			    .stream = w->stream,
			    .correlation = correlation },
			sizeof(struct standin_set));
	if (w->sync && enabled[38])
		add(&(struct standin_sync){ .kind = 38,
			    .sync = w->sync,
			    .start = start,
			    .end = start + w->ns,
			    .stream = w->stream,
			    .correlation = correlation },
			sizeof(struct standin_sync));
	if (w->strange)
		add(&(struct standin_sync){ .kind = 77 }, sizeof(struct standin_sync));
	pthread_mutex_unlock(&lock);
	if (w->driver)
		call(1, 1, w->driver, correlation);
	if (w->runtime)
		call(1, 2, w->runtime, correlation);
}

unsigned int standin_flushes(void)
{
	return flushes;
}
