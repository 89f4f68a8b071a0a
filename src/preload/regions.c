/*
 * regions.c - the mappings of the process, from /proc/self/maps
 *
 * There are two uses: threads look up the bounds of their stacks, and the unwinder tests whether a return address that
 * it found by a frame pointer is in code.  For this test, all executable mappings are cached.  If an address is in none
 * of them, /proc/self/maps is read again: READS_AT_ONCE times immediately, after that once in READ_AFTER ms.  This
 * limits the cost of values that look like return addresses but are none.
 */
#include "preload/frame_rules.h"
#include "preload/recorder_memory.h"
#include "preload/syscalls.h"

#include <time.h>

enum { REGIONS = 1024, READS_AT_ONCE = 64, READ_AFTER = 50 };

struct maps { int fd; char buf[4096]; ssize_t n, at; };

static struct { uintptr_t lo, hi; } code[REGIONS];
static uint32_t ncode, reads;
static uint64_t read_ms;

void hd_regions_begin(void)
{
	ncode = reads = 0;
	read_ms = 0;
}

static int next_char(struct maps *m)
{
	if (m->at == m->n) {
		m->n = hd_sys_read(m->fd, m->buf, sizeof(m->buf));
		m->at = 0;
		if (m->n <= 0)
			return -1;
	}
	return (unsigned char)m->buf[m->at++];
}

static uint64_t hex(struct maps *m, int *c)
{
	uint64_t v = 0;

	while ((*c = next_char(m)) >= 0) {
		if (*c >= '0' && *c <= '9')
			v = v << 4 | (uint64_t)(*c - '0');
		else if (*c >= 'a' && *c <= 'f')
			v = v << 4 | (uint64_t)(*c - 'a' + 10);
		else
			break;
	}
	return v;
}

/* Parse one line.  Returns false at the end. */
static bool next_line(struct maps *m, struct hd_region *r)
{
	int c = 0;

	r->lo = hex(m, &c);
	r->hi = hex(m, &c);
	r->readable = next_char(m) == 'r';
	next_char(m);
	r->executable = next_char(m) == 'x';
	do
		c = next_char(m);
	while (c >= 0 && c != '\n');
	return c >= 0;
}

struct asking { uintptr_t at; struct hd_region found; };

static void find_region(void *arg)
{
	struct asking *a = arg;
	struct maps m = { .fd = hd_sys_open("/proc/self/maps", O_RDONLY, 0) };
	struct hd_region r;

	while (m.fd >= 0 && next_line(&m, &r))
		if (a->at >= r.lo && a->at < r.hi) {
			if (r.readable)
				a->found = r;
			break;
		}
	if (m.fd >= 0)
		hd_sys_close(m.fd);
}

struct hd_region hd_region_of(uintptr_t at)
{
	struct asking a = { .at = at };

	hd_recorder_lock();
	hd_on_stack(find_region, &a);
	hd_recorder_unlock();
	return a.found;
}

/* ---- code ---- */

static void read_code(void)
{
	struct maps m = { .fd = hd_sys_open("/proc/self/maps", O_RDONLY, 0) };
	struct hd_region r;

	ncode = 0;
	while (m.fd >= 0 && ncode < REGIONS && next_line(&m, &r)) {
		if (!r.executable)
			continue;
		if (ncode && code[ncode - 1].hi == r.lo) {
			code[ncode - 1].hi = r.hi;
		} else {
			code[ncode].lo = r.lo;
			code[ncode++].hi = r.hi;
		}
	}
	if (m.fd >= 0)
		hd_sys_close(m.fd);
}

static bool is_known(uintptr_t at)
{
	uint32_t lo = 0, hi = ncode;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (code[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ncode && code[lo].lo <= at;
}

static bool may_read(void)
{
	struct timespec t = { 0 };
	uint64_t ms;

	if (reads < READS_AT_ONCE) {
		reads++;
		return true;
	}
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (ms - read_ms < READ_AFTER)
		return false;
	read_ms = ms;
	return true;
}

bool hd_region_is_code(uintptr_t at)
{
	if (is_known(at))
		return true;
	if (at < 4096 || at >> 47 || !may_read())
		return false;
	read_code();
	return is_known(at);
}
