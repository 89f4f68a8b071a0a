/*
 * jitdump_builder.h - make jitdumps byte by byte
 *
 *     struct jit_made m = jit_begin(swap, pid)  header
 *     jit_lines / _load / _move, jit_rec        records
 *     jit_put(&m, path)                        writes the file and frees the bytes
 */
#ifndef HD_TESTS_UNIT_SYMBOLS_JITDUMP_BUILDER_H
#define HD_TESTS_UNIT_SYMBOLS_JITDUMP_BUILDER_H

#include "base/buf.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct jit_made { struct hd_buf b; bool swap; };

__attribute__((unused)) static void m32(struct jit_made *m, uint32_t v)
{
	v = m->swap ? __builtin_bswap32(v) : v;
	hd_buf_add(&m->b, &v, 4);
}

__attribute__((unused)) static void m64(struct jit_made *m, uint64_t v)
{
	v = m->swap ? __builtin_bswap64(v) : v;
	hd_buf_add(&m->b, &v, 8);
}

__attribute__((unused)) static struct jit_made jit_begin(bool swap, uint32_t pid)
{
	struct jit_made m = { .swap = swap };

	m32(&m, 0x4a695444);
	m32(&m, 1);
	m32(&m, 40);
	m32(&m, EM_X86_64);
	m32(&m, 0);
	m32(&m, pid);
	m64(&m, 0);
	m64(&m, 0);
	return m;
}

__attribute__((unused)) static size_t jit_rec(struct jit_made *m, uint32_t kind, uint64_t time)
{
	size_t at = m->b.len;

	m32(m, kind);
	m32(m, 0);
	m64(m, time);
	return at;
}

__attribute__((unused)) static void jit_end(struct jit_made *m, size_t at)
{
	uint32_t size = (uint32_t)(m->b.len - at);

	size = m->swap ? __builtin_bswap32(size) : size;
	memcpy(m->b.data + at + 4, &size, 4);
}

/* Append a load record; returns the offset of its code. */
__attribute__((unused)) static uint64_t jit_load(struct jit_made *m, uint64_t time, const char *name, uint64_t addr,
	uint64_t size, uint64_t index)
{
	size_t r = jit_rec(m, 0, time);
	uint64_t off;

	m32(m, 10);
	m32(m, 10);
	m64(m, addr);
	m64(m, addr);
	m64(m, size);
	m64(m, index);
	hd_buf_add(&m->b, name, strlen(name) + 1);
	off = m->b.len;
	for (uint64_t i = 0; i < size; i++)
		hd_buf_addc(&m->b, (char)0x90);
	jit_end(m, r);
	return off;
}

__attribute__((unused)) static void jit_move(struct jit_made *m, uint64_t time, uint64_t from, uint64_t to,
	uint64_t size, uint64_t index)
{
	size_t r = jit_rec(m, 1, time);

	m32(m, 10);
	m32(m, 10);
	m64(m, to);
	m64(m, from);
	m64(m, to);
	m64(m, size);
	m64(m, index);
	jit_end(m, r);
}

struct jit_line { uint64_t addr; uint32_t line; const char *file; };

__attribute__((unused)) static void jit_lines(struct jit_made *m, uint64_t addr, const struct jit_line *lines, size_t n)
{
	size_t r = jit_rec(m, 2, 0);

	m64(m, addr);
	m64(m, n);
	for (size_t i = 0; i < n; i++) {
		m64(m, lines[i].addr);
		m32(m, lines[i].line);
		m32(m, 0);
		hd_buf_add(&m->b, lines[i].file, strlen(lines[i].file) + 1);
	}
	jit_end(m, r);
}

__attribute__((unused)) static void jit_put(struct jit_made *m, const char *path)
{
	FILE *f = fopen(path, "wb");

	if (f) {
		fwrite(m->b.data, 1, m->b.len, f);
		fclose(f);
	}
	hd_buf_release(&m->b);
}

#endif
