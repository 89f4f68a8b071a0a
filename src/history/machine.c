/*
 * machine.c - see machine.h
 */
#include "history/machine.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "trust/derived_columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAX_BYTES = 4 << 20 };	/* more than /proc/cpuinfo has on the largest machines */

/* Read a file of /proc or /sys without the newlines at its end.  Returns false if it is missing or empty. */
static bool slurp(struct hd_machine *m, struct hd_buf *b, const char *root, const char *path)
{
	struct hd_buf full = { 0 };
	struct hd_err err = { 0 };
	int fd, rc = -1;

	hd_buf_reset(b);
	hd_buf_addf(&full, "%s%s", root, path);
	fd = access(full.data, R_OK) == 0 ? hd_file_open(full.data, &err) : -1;
	if (fd >= 0) {
		rc = hd_file_slurp(fd, path, MAX_BYTES, b, &err);
		close(fd);
	}
	if (rc < 0 && (err.errnum == EIO || err.errnum == EMFILE || err.errnum == ENFILE || err.errnum == ENOMEM))
		m->unread = path;
	hd_buf_release(&full);
	while (rc >= 0 && b->len && b->data[b->len - 1] == '\n')
		b->data[--b->len] = '\0';
	return rc >= 0 && b->len;
}

static char *slurp_word(struct hd_machine *m, const char *root, const char *path)
{
	struct hd_buf b = { 0 };

	if (slurp(m, &b, root, path))
		return hd_buf_take(&b);
	hd_buf_release(&b);
	return NULL;
}

/* Copy the value of the first line `key : value`; NULL if there is none.  The caller frees it. */
static char *value_of(const struct hd_buf *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = hd_buf_str(text); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *v = line + n;

		if (strncmp(line, key, n))
			continue;
		v += strspn(v, " \t");
		if (*v != ':')
			continue;
		v++;
		v += strspn(v, " \t");
		return hd_strndup(v, strcspn(v, "\n"));
	}
	return NULL;
}

/* Join the values of several keys by '-'; NULL if the first key is missing. */
static char *values_of(const struct hd_buf *text, const char *const *keys)
{
	struct hd_buf b = { 0 };

	for (; *keys; keys++) {
		char *v = value_of(text, *keys);

		if (!v && !b.len) {
			hd_buf_release(&b);
			return NULL;
		}
		hd_buf_addf(&b, "%s%s", b.len ? "-" : "", v ? v : "");
		free(v);
	}
	return hd_buf_take(&b);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Hash the CPU flags in sorted order, since kernels list them in different orders. */
static char *hash_flags(char *flags)
{
	char **words = NULL, *save = NULL;
	size_t n = 0, cap = 0;
	struct hd_buf b = { 0 };
	char *hex = hd_alloc(HD_SHA256_HEX);

	for (char *w = strtok_r(flags, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		HD_GROW(words, n + 1, cap);
		words[n++] = w;
	}
	if (n)
		qsort(words, n, sizeof(*words), by_text);
	for (size_t i = 0; i < n; i++)
		hd_buf_addf(&b, "%s\n", words[i]);
	hd_sha256_hex(hd_buf_str(&b), b.len, hex);
	hd_buf_release(&b);
	free(words);
	return hex;
}

static void read_cpuinfo(struct hd_machine *m, const char *root)
{
	static const char *const x86[] = { "vendor_id", "cpu family", "model", "stepping", NULL };
	static const char *const arm[] = { "CPU implementer", "CPU architecture", "CPU variant", "CPU part",
		"CPU revision", NULL };
	struct hd_buf text = { 0 };
	char *flags;

	if (slurp(m, &text, root, "/proc/cpuinfo")) {
		m->cpu_model = value_of(&text, "model name");
		m->cpu_id = values_of(&text, x86);
		if (!m->cpu_id)
			m->cpu_id = values_of(&text, arm);
		flags = value_of(&text, "flags");
		if (!flags)
			flags = value_of(&text, "Features");
		if (flags)
			m->cpu_flags = hash_flags(flags);
		free(flags);
		m->microcode = value_of(&text, "microcode");
	}
	hd_buf_release(&text);
}

/* Parse a number at *s and advance *s; false if there is none or it is above 2^20. */
static bool take_number(const char **s, unsigned long *n)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	*n = strtoul(*s, &end, 10);
	*s = end;
	return *n <= 1 << 20;
}

/* Count the CPUs of a list: "0-3,8,10-11" has 7.  -1: invalid. */
static int64_t count_cpus(const char *list)
{
	unsigned long from, to;
	int64_t n = 0;

	for (;; list++) {
		if (!take_number(&list, &from))
			return -1;
		to = from;
		if (*list == '-' && (list++, !take_number(&list, &to)))
			return -1;
		if (to < from || (*list && *list != ','))
			return -1;
		n += (int64_t)(to - from + 1);
		if (!*list)
			return n;
	}
}

static void read_sys(struct hd_machine *m, const char *root)
{
	char *online = slurp_word(m, root, "/sys/devices/system/cpu/online");
	char *smt = slurp_word(m, root, "/sys/devices/system/cpu/smt/active");

	if (online)
		m->cpus_online = count_cpus(online);
	else if (!*root)
		m->cpus_online = sysconf(_SC_NPROCESSORS_ONLN);
	if (smt)
		m->smt = hd_strdup(strcmp(smt, "1") ? "off" : "on");
	m->governor = slurp_word(m, root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	free(online);
	free(smt);
}

static void read_memory(struct hd_machine *m, const char *root)
{
	struct hd_buf text = { 0 };
	char *kib = slurp(m, &text, root, "/proc/meminfo") ? value_of(&text, "MemTotal") : NULL;
	unsigned long long v = kib ? strtoull(kib, NULL, 10) : 0;

	if (v && v < INT64_MAX / 1024)
		m->memory_bytes = (int64_t)(v * 1024);
	free(kib);
	hd_buf_release(&text);
}

void hd_machine_here(struct hd_machine *m, const char *root)
{
	struct utsname u;

	*m = (struct hd_machine){ .source = "here", .cpus_online = -1, .memory_bytes = -1 };
	if (uname(&u) == 0) {
		m->arch = hd_strdup(u.machine);
		m->kernel = hd_strdup(u.release);
		m->hostname = hd_strdup(u.nodename);
	}
	read_cpuinfo(m, root);
	read_sys(m, root);
	read_memory(m, root);
	m->boot_id = slurp_word(m, root, "/proc/sys/kernel/random/boot_id");
	hd_machine_seal(m);
}

static bool is_equal(const char *recorded, const char *mine)
{
	return recorded && *recorded && mine && !strcmp(recorded, mine);
}

static char *copy_known(const char *s)
{
	return s && *s ? hd_strdup(s) : NULL;
}

void hd_machine_of(struct hd_machine *m, const char *hostname, const char *kernel, const char *arch,
	const char *cpu_model, uint32_t cpus, uint64_t memory_bytes, const char *root)
{
	const char *unread;

	hd_machine_here(m, root);
	if (is_equal(hostname, m->hostname) && is_equal(kernel, m->kernel) && is_equal(arch, m->arch) &&
	    (!m->cpu_model || is_equal(cpu_model, m->cpu_model)))
		return;
	unread = m->unread;
	hd_machine_release(m);
	*m = (struct hd_machine){
		.source = "recording", .unread = unread, .arch = copy_known(arch), .cpu_model = copy_known(cpu_model),
		.kernel = copy_known(kernel),
		.hostname = copy_known(hostname), .cpus_online = cpus ? (int64_t)cpus : -1,
		.memory_bytes = memory_bytes && memory_bytes <= INT64_MAX ? (int64_t)memory_bytes : -1,
	};
	hd_machine_seal(m);
}

/* Write a number as text.  Returns NULL if it is unknown. */
static const char *number_text(char text[24], int64_t value)
{
	snprintf(text, 24, "%lld", (long long)value);
	return value >= 0 ? text : NULL;
}

void hd_machine_seal(struct hd_machine *m)
{
	char cpus[24], memory[24];
	const char *const values[HD_MACHINE_COLUMNS] = {
		m->arch, m->cpu_model, m->cpu_id, m->cpu_flags, number_text(cpus, m->cpus_online), m->smt,
		m->source, number_text(memory, m->memory_bytes), m->kernel, m->microcode, m->governor, m->hostname,
	};

	hd_derived_columns_machine(values, m->fingerprint, m->key);
}

void hd_machine_release(struct hd_machine *m)
{
	free(m->arch);
	free(m->cpu_model);
	free(m->cpu_id);
	free(m->cpu_flags);
	free(m->smt);
	free(m->kernel);
	free(m->microcode);
	free(m->governor);
	free(m->hostname);
	free(m->boot_id);
	*m = (struct hd_machine){ 0 };
}
