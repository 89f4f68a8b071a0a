/*
 * mem.c - see mem.h
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(size_t size)
{
	char line[96];
	int n = snprintf(line, sizeof(line), "hotdrift: error: out of memory (asked for %zu bytes)\n", size);

	/* stdio may want to allocate; write() does not. */
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(6);
	_exit(6);
}

void *hd_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory(size);
	return p;
}

void *hd_zalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory(n * size);
	return p;
}

void *hd_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(SIZE_MAX);
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory(bytes);
	return p;
}

char *hd_strndup(const char *s, size_t n)
{
	char *p = hd_alloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *hd_strdup(const char *s)
{
	return hd_strndup(s, strlen(s));
}

void *hd_grow(void *p, size_t need, size_t *cap, size_t size)
{
	size_t want = *cap;

	if (need <= want)
		return p;
	want += want / 2;
	if (want < need)
		want = need;
	if (want < 8)
		want = 8;
	p = hd_realloc(p, want, size);
	*cap = want;
	return p;
}
