/*
 * memory.c - write a synthetic recording with fields that not every machine can record: memory latency and data source,
 * transactions, addresses, page sizes, cgroups.  Usage: memory > perf.data
 *
 * Each sample has one bit of the data source set, or a few that belong together.  Its other values depend on its index.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef PERF_MEM_S
#error "the kernel's header has no data sources"
#endif

static unsigned char bytes[1 << 20];
static size_t n;

static void put(const void *p, size_t len)
{
	memcpy(bytes + n, p, len);
	n += len;
}

static void u64(uint64_t v)
{
	put(&v, 8);
}

static void pair(uint32_t a, uint32_t b)
{
	put(&a, 4);
	put(&b, 4);
}

static size_t begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	size_t at = n;

	put(&h, sizeof(h));
	return at;
}

static void end(size_t at)
{
	uint16_t size = (uint16_t)(n - at);

	memcpy(bytes + at + 6, &size, 2);
}

static void cgroup(uint64_t id, const char *path)
{
	size_t at = begin(PERF_RECORD_CGROUP, 0);
	char padded[64] = "";

	u64(id);
	snprintf(padded, sizeof(padded), "%s", path);
	put(padded, (strlen(path) + 8) & ~(size_t)7);
	end(at);
}

static void comm(uint32_t pid, const char *name)
{
	size_t at = begin(PERF_RECORD_COMM, 0);
	char padded[16] = "";

	pair(pid, pid);
	snprintf(padded, sizeof(padded), "%s", name);
	put(padded, 16);
	end(at);
}

static void sample(uint64_t i, uint64_t source, uint64_t transaction)
{
	static const uint64_t pages[] = { 4096, 2 << 20, 1 << 30 };
	size_t at = begin(PERF_RECORD_SAMPLE, i % 3 ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);

	u64(0x1000 + 16 * i);
	pair(10, 10);
	u64(1000000000 + 1000 * i);
	u64(0x7f0000000000 + 64 * (i % 7));
	pair((uint32_t)(i % 2), 0);
	u64(1 + i);
	u64((7 + i % 5) | (3 + i % 4) << 32 | (i % 3) << 48);
	u64(source);
	u64(transaction);
	u64(0x40000000 + 4096 * (i % 3));
	u64(i % 4 == 3 ? 99 : 1 + i % 4);	/* there is no CGROUP record for 99 */
	u64(pages[i % 3]);
	u64(pages[i % 2]);
	end(at);
}

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
			PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	uint64_t head[13] = { 0 }, data, i = 0;

	memcpy(head, "PERFILE2", 8);
	head[1] = sizeof(head);
	head[2] = sizeof(attr) + 16;
	head[3] = sizeof(head);
	head[4] = sizeof(attr) + 16;
	put(head, sizeof(head));
	put(&attr, sizeof(attr));
	u64(0);
	u64(0);
	data = n;
	comm(10, "app");
	cgroup(1, "/");
	cgroup(2, "/a.slice");
	cgroup(3, "/a.slice/b.service");
	for (unsigned bit = 0; bit < 46; bit++)
		sample(i++, UINT64_C(1) << bit, 0);
	for (unsigned lvl = 0; lvl < 16; lvl++)
		for (unsigned more = 0; more < 4; more++)
			sample(i++, (uint64_t)lvl << 33 | PERF_MEM_S(OP, LOAD) | (more & 1 ? UINT64_C(1) << 37 : 0) |
				    (more & 2 ? PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1) : 0), 0);
	for (unsigned hops = 0; hops < 5; hops++)
		sample(i++, (uint64_t)hops << 43 | UINT64_C(1) << 37 | PERF_MEM_S(OP, STORE), 0);
	sample(i++,
		PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, L2) | PERF_MEM_S(LVL, MISS) |
			PERF_MEM_S(SNOOP, HIT) | PERF_MEM_S(SNOOP, HITM) | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2) |
			PERF_MEM_S(TLB, HIT) | PERF_MEM_S(LOCK, LOCKED) | UINT64_C(6) << 40,
		0);
	sample(i++, 0, 0);
	sample(i++, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) | UINT64_C(3) << 38 | PERF_MEM_S(SNOOP, NA), 0);
	for (unsigned bit = 0; bit < 8; bit++)
		sample(i++, 0, UINT64_C(1) << bit);
	sample(i++, 0, PERF_TXN_TRANSACTION | PERF_TXN_SYNC | UINT64_C(0xab) << 32);
	sample(i++, 0,
		PERF_TXN_ELISION | PERF_TXN_TRANSACTION | PERF_TXN_ASYNC | PERF_TXN_RETRY | PERF_TXN_CAPACITY_READ);
	head[5] = data;
	head[6] = n - data;
	memcpy(bytes, head, sizeof(head));
	return fwrite(bytes, 1, n, stdout) == n ? 0 : 1;
}
