/*
 * perf_agrees.c - compare the names of addresses with those of perf script
 *
 * The tests write a recording with a sample at each of many addresses of a binary of this machine, and perf names
 * them.  The addresses are in .text: perf computes the addresses of PLT stubs from their number, and extends the last
 * function of a section into the next section.  The names are compared as they are in the symbol table, because perf
 * 6.1 and later versions demangle differently (tests/run-perf.sh compares demangled names).
 */
#include "workshop.h"

#include <linux/perf_event.h>

enum { ADDRESSES = 2000 };

#define MAP_BASE 0x7f0000000000ull

static void add_record(struct hd_buf *b, uint32_t type, uint16_t misc, const void *body, size_t n)
{
	size_t padded = (n + 7) & ~(size_t)7;
	struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + padded) };

	hd_buf_add(b, &h, sizeof(h));
	hd_buf_add(b, body, n);
	hd_buf_add(b, "\0\0\0\0\0\0\0", padded - n);
}

static void add_mmap(struct hd_buf *b, uint16_t misc, int32_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
	const char *name)
{
	struct {
		int32_t pid, tid;
		uint64_t start, len, pgoff;
		char name[PATH_MAX];
	} m = { pid, pid == -1 ? 0 : pid, start, len, pgoff, "" };

	snprintf(m.name, sizeof(m.name), "%s", name);
	add_record(b, PERF_RECORD_MMAP, misc, &m, offsetof(__typeof__(m), name) + strlen(m.name) + 1);
}

/* Write a perf.data file of one event with the records in `data`. */
static void put_recording(const char *name, const struct hd_buf *data)
{
	struct { struct perf_event_attr attr; uint64_t ids[2]; } attr = { 0 };
	uint64_t head[13] = { 0 };
	struct hd_buf file = { 0 };

	attr.attr.type = PERF_TYPE_SOFTWARE;
	attr.attr.size = sizeof(attr.attr);
	attr.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.attr.sample_period = 1000000;
	attr.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	memcpy(&head[0], "PERFILE2", 8);
	head[1] = sizeof(head);
	head[2] = sizeof(attr);
	head[3] = sizeof(head);			/* attrs: offset, size */
	head[4] = sizeof(attr);
	head[5] = sizeof(head) + sizeof(attr);	/* data */
	head[6] = data->len;
	hd_buf_add(&file, head, sizeof(head));
	hd_buf_add(&file, &attr, sizeof(attr));
	hd_buf_add(&file, data->data, data->len);
	put_bytes(name, file.data, file.len);
	hd_buf_release(&file);
}

/* Return what perf prints for each ip, one line each; the caller frees the text. */
static char *ask_perf(struct hd_buf *records, const uint64_t *ips, size_t n, uint16_t misc)
{
	char comm[24] = "";

	((int32_t *)(void *)comm)[0] = ((int32_t *)(void *)comm)[1] = 100;
	memcpy(comm + 8, "asked", 5);
	add_record(records, PERF_RECORD_COMM, 0, comm, sizeof(comm));
	for (size_t i = 0; i < n; i++) {
		struct { uint64_t ip; int32_t pid, tid; uint64_t time, period; } s = { ips[i], 100, 100, i + 1, 1 };

		add_record(records, PERF_RECORD_SAMPLE, misc, &s, sizeof(s));
	}
	put_recording("asked.data", records);
	return said(
		"perf script -f -i asked.data --no-demangle -F ip,sym 2>/dev/null | sed -n 's/^ *[0-9a-f][0-9a-f]* "
		"//p'");
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Choose ADDRESSES addresses in [start, start + size), the same in every run. */
static void spread(uint64_t *ips, uint64_t start, uint64_t size)
{
	uint64_t x = 88172645463325252ull;

	for (size_t i = 0; i < ADDRESSES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		ips[i] = start + x % size;
	}
	qsort(ips, ADDRESSES, sizeof(*ips), by_number);
}

/* Expect the names that perf printed, and return how many of the addresses have a name. */
static size_t expect_same(struct hd_bench *b, const uint64_t *ips, uint64_t base, char *perf)
{
	size_t known = 0;

	for (size_t i = 0; i < ADDRESSES; i++) {
		const char *name = name_at(b, ips[i] - base);
		char *theirs = strsep(&perf, "\n");

		EXPECT(theirs);
		EXPECT_STR(theirs, strcmp(name, "-") ? name : "[unknown]");
		known += *name != '-';
	}
	return known;
}

/*
 * Expect that we and perf find the same names in the .text of a file.  Returns false if no address has a name, because
 * the file is stripped.
 */
static bool expect_perf_agrees(const char *path)
{
	char *cmd = textf(
		"readelf -SW '%s' 2>/dev/null | sed -n 's/.* [.]text  *PROGBITS  *[0-9a-f]*  *\\([0-9a-f]*\\)  "
		"*\\([0-9a-f]*\\) .*/\\1 \\2/p'",
		path);
	char *out = said(cmd), *perf, real[PATH_MAX];
	struct hd_symbols_opts opts = { .same_machine = true };
	uint64_t ips[ADDRESSES], off, size;
	struct hd_buf records = { 0 };
	struct hd_bench b;
	struct stat st;
	size_t known;

	EXPECT(sscanf(out, "%" SCNx64 " %" SCNx64, &off, &size) == 2);
	EXPECT(realpath(path, real) && !stat(real, &st));
	spread(ips, MAP_BASE + off, size);
	add_mmap(&records, PERF_RECORD_MISC_USER, 100, MAP_BASE, ((uint64_t)st.st_size + 4095) & ~4095ull, 0, real);
	perf = ask_perf(&records, ips, ADDRESSES, PERF_RECORD_MISC_USER);
	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = real });
	known = expect_same(&b, ips, MAP_BASE, perf);
	bench_close(&b);
	hd_buf_release(&records);
	free(perf);
	free(out);
	free(cmd);
	return known > 0;
}

/* Return true if readelf and perf 6.1 or later are installed.  Older versions of perf have other rules for aliases. */
static bool perf_works(void)
{
	return have("readelf") &&
		run_sh("perf --version 2>/dev/null | grep -qE ' (6[.]([1-9]|[1-9][0-9])|[7-9][.]|[1-9][0-9]+[.])'") ==
		0;
}

#define BINARY(test, path)						\
	TEST(test)							\
	{								\
		if (!perf_works())					\
			SKIP("there is no perf 6.1 or later");		\
		if (access(path, R_OK))					\
			SKIP("there is no " path);			\
		if (!expect_perf_agrees(path))				\
			SKIP(path " has no symbols");			\
	}

BINARY(in_the_c_library, "/lib/x86_64-linux-gnu/libc.so.6")
BINARY(in_the_dynamic_linker, "/lib64/ld-linux-x86-64.so.2")
BINARY(in_the_cpp_library, "/usr/lib/x86_64-linux-gnu/libstdc++.so.6")
BINARY(in_a_shell, "/bin/bash")
BINARY(in_perf_itself, "/usr/bin/perf")
BINARY(in_an_interpreter, "/usr/bin/python3")
BINARY(in_the_ssl_library, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3")

TEST(names_agree_with_perf_in_a_program_with_aliases_and_clones)
{
	if (!perf_works())
		SKIP("there is no perf 6.1 or later");
	NEED("c++");
	put("p.cc",
		"#include <algorithm>\n"
		"#include <cstdio>\n"
		"#include <map>\n"
		"#include <string>\n"
		"#include <vector>\n"
		"struct A { A(int); virtual ~A(); int x; };\n"
		"A::A(int v) : x(v) {}\n"
		"A::~A() {}\n"
		"template <class T> static T sum(const std::vector<T> &v) { T s{}; for (auto x : v) s += x; return s; "
		"}\n"
		"extern \"C\" int f(int x) { return x; }\n"
		"extern \"C\" int __f(int) __attribute__((alias(\"f\")));\n"
		"extern \"C\" int weak_f(int) __attribute__((weak, alias(\"f\")));\n"
		"int main(int c, char **v) { std::map<std::string, int> m; std::vector<double> d;\n"
		"for (int i = 0; i < c; i++) { m[v[i]]++; d.push_back(i); }\n"
		"std::sort(d.begin(), d.end(), [](double a, double b) { return a > b; }); A a(c);\n"
		"return int(sum(d)) + m.size() + a.x + f(c); }\n");
	TRY_SH("c++ -O1 -g p.cc -o p");
	EXPECT(expect_perf_agrees("p"));
}

TEST(names_agree_with_perf_in_the_running_kernel)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	uint64_t ips[ADDRESSES], start, end;
	struct hd_buf records = { 0 };
	char *out, *perf;
	struct hd_bench b;

	if (!perf_works())
		SKIP("there is no perf 6.1 or later");
	out = said("awk '$3 == \"_stext\" || $3 == \"_etext\" { print $1 }' /proc/kallsyms 2>/dev/null");
	if (sscanf(out, "%" SCNx64 " %" SCNx64, &start, &end) != 2 || start >= end) {
		free(out);
		SKIP("/proc/kallsyms shows no addresses here");
	}
	free(out);
	spread(ips, start, end - start);
	add_mmap(&records, PERF_RECORD_MISC_KERNEL, -1, start, end - start, start, "[kernel.kallsyms]_stext");
	perf = ask_perf(&records, ips, ADDRESSES, PERF_RECORD_MISC_KERNEL);
	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_KERNEL, .path = "[kernel.kallsyms]_stext",
						      .kernel_start = start, .kernel_pgoff = start });
	EXPECT(expect_same(&b, ips, 0, perf) > 0);
	bench_close(&b);
	hd_buf_release(&records);
	free(perf);
}

WORKSHOP_MAIN(
	RUN(in_the_c_library),
	RUN(in_the_dynamic_linker),
	RUN(in_the_cpp_library),
	RUN(in_a_shell),
	RUN(in_perf_itself),
	RUN(in_an_interpreter),
	RUN(in_the_ssl_library),
	RUN(names_agree_with_perf_in_a_program_with_aliases_and_clones),
	RUN(names_agree_with_perf_in_the_running_kernel),
)
