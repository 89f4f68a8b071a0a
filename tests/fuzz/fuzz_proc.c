/*
 * fuzz_proc.c - add any sequence of tasks and mappings to a process table, and look them up
 *
 * The input is records of 8 bytes: kind, time, pid, tid, three small numbers and flags.  The small numbers are scaled
 * so that most ranges overlap, and some are at the ends of their range.  Then the target looks up the command name and
 * the mapping for the numbers of every record, in ascending and in descending order of records.  Invariant: the
 * results are valid, and both orders give the same ones.
 */
#include "base/mem.h"
#include "process/process_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	"/bin/a", "//anon", "[heap]", "[vdso]", "/lib/x.ko", "[kernel.kallsyms]_text", "[guest.kernel.kallsyms.3]",
	"__entry_SYSCALL_64_trampoline", "", "hi_osal", "/memfd:doublemapper (deleted)", "[x]", "/lib/x-y.ko.xz",
	"/SYSV0",
};

static int32_t id_of(uint8_t b)
{
	return b == 0xff ? -1 : b == 0xfe ? INT32_MAX : b == 0xfd ? INT32_MIN : b % 16;
}

static uint64_t addr_of(uint8_t b)
{
	return b >= 0xf0 ? UINT64_MAX - (0xff - b) * 0x800u : (uint64_t)b << 12;
}

static void add(struct hd_process_table *proc, const uint8_t *b, uint64_t seq)
{
	const char *name = names[b[6] % HD_COUNT(names)];
	struct hd_record_time when = { b[1] == 0xff ? UINT64_MAX : b[1], seq };
	int32_t pid = id_of(b[2]), tid = id_of(b[3]);
	bool flag = b[7] & 1;

	switch (b[0] % 8) {
	case 0: hd_process_add_comm(proc, when, pid, tid, name, strlen(name), flag); break;
	case 1: hd_process_add_fork(proc, when, pid, id_of(b[4]), tid, id_of(b[5])); break;
	case 2: hd_process_add_fork_running(proc, when, pid, id_of(b[4]), tid, id_of(b[5])); break;
	case 3:
		if (b[7] & 2)
			hd_process_add_jit(proc, when, pid, addr_of(b[4]), b[5] * 0x80u, b[6] * 0x100u, 0);
		else
			hd_process_add_exit(proc, when, pid, tid);
		break;
	case 4: hd_process_add_ksymbol(proc, when, addr_of(b[4]), b[5] == 0xff ? UINT32_MAX : b[5] * 0x100u, name,
				    strlen(name), flag); break;
	case 5: hd_process_add_namespaces(proc, when, pid, tid, b[4], b[5]); break;
	case 6: hd_process_add_build_id(proc, name, b, b[5] % 9, b[7]); break;
	case 7: hd_process_add_mmap(proc, &(struct hd_process_mmap){
			.when = when, .pid = pid, .tid = tid, .addr = addr_of(b[4]), .len = addr_of(b[5]),
			.pgoff = b[1],
			.name = name, .name_len = strlen(name), .cpumode = b[7] >> 1 & 7, .executable = flag,
			.build_id = b, .build_id_len = b[7] >> 4 & 1 ? 8 : 0, .flags = b[7] & 0x20 ? 0x40000 : 0,
		});
	}
}

/* Return a checksum of the results of all lookups with the numbers of one record. */
static uint64_t ask(struct hd_process_table *proc, struct hd_strtab *strings, const uint8_t *b, uint64_t seq)
{
	struct hd_process_context at;
	uint64_t sum;

	hd_process_at(proc, id_of(b[2]), id_of(b[3]), (struct hd_record_time){ b[1], seq }, &at);
	at.comm = hd_process_comm(proc, &at, id_of(b[3]));
	assert(at.comm < hd_strtab_count(strings));
	sum = at.comm + 31 * (uint64_t)at.space;
	for (uint8_t cpumode = 0; cpumode < 6; cpumode++) {
		uint64_t ip = addr_of(b[4]) + b[6];
		struct hd_process_location where;

		hd_process_find(proc, &at, ip, cpumode, &where);
		assert(where.object < hd_process_object_count(proc));
		assert(!where.object || (where.map_start <= ip && ip < where.map_end));
		assert(hd_process_object(proc, where.object)->name < hd_strtab_count(strings));
		sum = 31 * sum + where.object + 7 * where.foff;
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_strtab *strings = hd_strtab_new();
	struct hd_log log = { 0 };
	struct hd_process_table *proc = hd_process_table_new(strings, &log);
	size_t n = size / 8;
	uint64_t *answers = hd_new_array(uint64_t, n);

	for (size_t i = 0; i < n; i++)
		add(proc, data + 8 * i, i);
	hd_process_build(proc);
	for (size_t i = 0; i < n; i++)
		answers[i] = ask(proc, strings, data + 8 * i, i);
	for (size_t i = n; i-- > 0; )
		assert(answers[i] == ask(proc, strings, data + 8 * i, i));
	free(answers);
	hd_process_table_free(proc);
	hd_strtab_free(strings);
	hd_log_release(&log);
	return 0;
}
