/*
 * command_line.c - see command_line.h
 */
#include "history/command_line.h"

#include "base/mem.h"

#include <string.h>

/* Return the next blank-separated word at *at and advance *at; NULL at the end. */
static const char *next_word(const char **at, size_t *n)
{
	const char *word = *at + strspn(*at, " ");

	*n = strcspn(word, " ");
	*at = word + *n;
	return *n ? word : NULL;
}

static bool is_word(const char *word, size_t n, const char *expected)
{
	return strlen(expected) == n && !memcmp(word, expected, n);
}

/* Return true if the value of this `perf record` option is the next word. */
static bool takes_value(const char *word, size_t n)
{
	static const char *const options[] = {
		"-F", "--freq", "-e", "--event", "-o", "--output", "-c", "--count", "-p", "--pid", "-t", "--tid", "-C",
		"--cpu", "-m",
		"--mmap-pages", "-u", "--uid", "-G", "--cgroup", "-k", "--clockid", "-D", "--delay", "--call-graph",
		"--filter", "--max-size",
		"--user-callchains", "-j", "--branch-filter", "-I", "--proc-map-timeout",
	};

	for (size_t i = 0; i < HD_COUNT(options); i++)
		if (is_word(word, n, options[i]))
			return strcmp(options[i], "-I") != 0;	/* -I takes its value in the same word */
	return false;
}

/* Return the workload that follows `perf record` and its options; NULL if there is none. */
static const char *skip_perf_record(const char *command)
{
	const char *at = command, *word, *dashes = strstr(command, " -- ");
	size_t n;
	bool value = false;

	if (dashes)
		return dashes + 4;
	next_word(&at, &n);
	next_word(&at, &n);
	while ((word = next_word(&at, &n))) {
		if (!value && *word != '-')
			return word;
		value = !value && takes_value(word, n);
	}
	return NULL;
}

void hd_workload_arguments(struct hd_buf *out, const char *command)
{
	const char *at = command, *word, *slash;
	size_t n;

	word = next_word(&at, &n);
	if (!word)
		return;
	slash = memrchr(word, '/', n);
	if (is_word(slash ? slash + 1 : word, slash ? n - (size_t)(slash + 1 - word) : n, "perf")) {
		word = next_word(&at, &n);
		if (!word || !is_word(word, n, "record"))
			return;
		at = skip_perf_record(command);
		word = at ? next_word(&at, &n) : NULL;
		if (!word)
			return;
	}
	slash = memrchr(word, '/', n);
	hd_buf_adds(out, slash ? slash + 1 : word);
}
