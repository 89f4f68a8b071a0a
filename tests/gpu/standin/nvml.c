/*
 * nvml.c - a stand-in for libnvidia-ml.so.1, so that its reader is tested without a GPU
 *
 * Its devices are named "stand-in".  Their values depend on the number of calls, never on a clock.  The words of
 * HOTDRIFT_STANDIN_NVML, separated by blanks, change them:
 *
 *     init=N count=N       nvmlInit(), nvmlDeviceGetCount() return the code N
 *     devices=N            number of devices (default 1)
 *     lost=N               nvmlDeviceGetHandleByIndex() of device N returns GPU_IS_LOST (15)
 *     no=WORDS             NOT_SUPPORTED for these, separated by commas: 186 185 usage 83 energy memory2 memory1 util
 *     repeat=N             power has a new value at each N-th reading only (default 1)
 *     reset=N              the energy counter starts again from 0 at its N-th reading
 *     gone=N               readings of power and energy are NOT_SUPPORTED from the N-th reading of power on
 *
 * Built with -DOLD, it is like an old libnvidia-ml: without functions whose names end in _v2, fields and energy.
 *
 * Values of device d: power is (100 + 10 d) W, and 1 W more at each new value; energy grows by 5 J at each reading;
 * memory is 16 GiB, of which 4 GiB are used and 1 GiB is reserved (the old function counts both as used); utilisation
 * is 40 + d percent for the GPU and 20 percent for the memory.  A power field whose code is not success has the value
 * 0, as in the real library.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, GPU_IS_LOST = 15 };
enum { DEVICES_MAX = 8 };

struct device {
	unsigned power_reads, energy_reads;
};

static struct device devices[DEVICES_MAX];

struct field {
	unsigned id, scope;
	long long timestamp, latency;
	unsigned type, code;
	union {
		double d;
		unsigned u;
		unsigned long long ull;
	} value;
};

struct memory1 {
	unsigned long long total, free, used;
};

struct memory2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};

#define CALL __attribute__((visibility("default")))

/* Return the number N of the word "name=N" in HOTDRIFT_STANDIN_NVML; `otherwise` if the word is missing. */
static unsigned word(const char *name, unsigned otherwise)
{
	const char *s = getenv("HOTDRIFT_STANDIN_NVML"), *at;
	size_t n = strlen(name);

	for (at = s; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (!strncmp(at, name, n) && at[n] == '=')
			return (unsigned)strtoul(at + n + 1, NULL, 10);
	return otherwise;
}

static int lacks(const char *what)
{
	const char *s = getenv("HOTDRIFT_STANDIN_NVML"), *at = s ? strstr(s, "no=") : NULL;
	size_t n = strlen(what);

	for (at = at ? at + 3 : NULL; at; at = *at == ',' ? at + 1 : NULL) {
		size_t len = strcspn(at, ", ");

		if (len == n && !strncmp(at, what, n))
			return 1;
		at += len;
	}
	return 0;
}

static unsigned number_of(void *d)
{
	return (unsigned)((struct device *)d - devices);
}

static int power_of(void *d, unsigned *mw)
{
	struct device *dev = d;
	unsigned i = dev->power_reads++;

	if (i + 1 >= word("gone", ~0u))
		return NOT_SUPPORTED;
	*mw = 100000 + 10000 * number_of(d) + 1000 * (i / word("repeat", 1));
	return SUCCESS;
}

static int count(unsigned *n)
{
	unsigned code = word("count", SUCCESS);

	*n = word("devices", 1);
	return (int)code;
}

static int handle(unsigned i, void **out)
{
	if (i >= DEVICES_MAX || i >= word("devices", 1))
		return INVALID_ARGUMENT;
	*out = &devices[i];
	return i == word("lost", ~0u) ? GPU_IS_LOST : SUCCESS;
}

static int init(void)
{
	memset(devices, 0, sizeof(devices));
	return (int)word("init", SUCCESS);
}

CALL int nvmlShutdown(void);
CALL int nvmlDeviceGetName(void *d, char *out, unsigned size);
CALL int nvmlDeviceGetUUID(void *d, char *out, unsigned size);
CALL int nvmlDeviceGetPowerUsage(void *d, unsigned *mw);
CALL int nvmlDeviceGetUtilizationRates(void *d, unsigned u[2]);
CALL int nvmlDeviceGetMemoryInfo(void *d, struct memory1 *m);

int nvmlShutdown(void)
{
	return SUCCESS;
}

int nvmlDeviceGetName(void *d, char *out, unsigned size)
{
	snprintf(out, size, "stand-in %u", number_of(d));
	return SUCCESS;
}

int nvmlDeviceGetUUID(void *d, char *out, unsigned size)
{
	snprintf(out, size, "GPU-stand-in-%u", number_of(d));
	return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *d, unsigned *mw)
{
	return lacks("usage") ? NOT_SUPPORTED : power_of(d, mw);
}

int nvmlDeviceGetUtilizationRates(void *d, unsigned u[2])
{
	u[0] = 40 + number_of(d);
	u[1] = 20;
	return lacks("util") ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void *d, struct memory1 *m)
{
	*m = (struct memory1){ .total = 16ull << 30, .free = 11ull << 30, .used = 5ull << 30 };
	return lacks("memory1") ? NOT_SUPPORTED : SUCCESS;
}

#ifdef OLD

CALL int nvmlInit(void);
CALL int nvmlDeviceGetCount(unsigned *n);
CALL int nvmlDeviceGetHandleByIndex(unsigned i, void **out);

int nvmlInit(void)
{
	return init();
}

int nvmlDeviceGetCount(unsigned *n)
{
	return count(n);
}

int nvmlDeviceGetHandleByIndex(unsigned i, void **out)
{
	return handle(i, out);
}

#else

CALL int nvmlInit_v2(void);
CALL int nvmlDeviceGetCount_v2(unsigned *n);
CALL int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out);
CALL int nvmlDeviceGetFieldValues(void *d, int n, struct field *f);
CALL int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *mj);
CALL int nvmlDeviceGetMemoryInfo_v2(void *d, struct memory2 *m);

static int energy_of(void *d, unsigned long long *mj)
{
	struct device *dev = d;
	unsigned i = ++dev->energy_reads, reset = word("reset", ~0u);

	if (dev->power_reads >= word("gone", ~0u))
		return NOT_SUPPORTED;
	*mj = i >= reset ? 5000ull * (i - reset) : 1000000 + 5000ull * i;
	return SUCCESS;
}

int nvmlInit_v2(void)
{
	return init();
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
	return count(n);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out)
{
	return handle(i, out);
}

int nvmlDeviceGetFieldValues(void *d, int n, struct field *f)
{
	for (int i = 0; i < n; i++) {
		f[i].type = f[i].id == 83 ? 3 : 1;
		f[i].value.ull = 0;
		if (f[i].id == 186 || f[i].id == 185)
			f[i].code = (unsigned)(lacks(f[i].id == 186 ? "186" : "185") ? NOT_SUPPORTED
										     : power_of(d, &f[i].value.u));
		else if (f[i].id == 83)
			f[i].code = (unsigned)(lacks("83") ? NOT_SUPPORTED : energy_of(d, &f[i].value.ull));
		else
			f[i].code = INVALID_ARGUMENT;
	}
	return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *mj)
{
	return lacks("energy") ? NOT_SUPPORTED : energy_of(d, mj);
}

int nvmlDeviceGetMemoryInfo_v2(void *d, struct memory2 *m)
{
	if (m->version != 0x02000028)
		return INVALID_ARGUMENT;
	if (lacks("memory2"))
		return NOT_SUPPORTED;
	m->total = 16ull << 30;
	m->reserved = 1ull << 30;
	m->free = 11ull << 30;
	m->used = 4ull << 30;
	return SUCCESS;
}

#endif
