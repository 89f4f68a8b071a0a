/*
 * elf.c - make damaged programs, and a valid recording for each
 *
 * The recording maps the program as /app and has two samples with a copied stack in each of its
 * functions (at most 200 samples), so that symbols, lines, inlined functions and unwind rules are
 * all looked up.  A mutation damages headers, symbol tables, or the contents of one section: in a
 * section of debug information nearly every byte belongs to a structure.
 */
#include "mutants.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000000, PID = 10, STACK = 512, SAMPLES_MAX = 200 };
#define STACK_AT UINT64_C(0x7ffe00000000)

static void put64(struct bytes *b, uint64_t v)
{
	uint8_t p[8];

	store(p, 8, false, v);
	put(b, p, 8);
}

static void put32(struct bytes *b, uint64_t v)
{
	uint8_t p[4];

	store(p, 4, false, v);
	put(b, p, 4);
}

static void record(struct bytes *b, uint32_t type, const struct bytes *body)
{
	put32(b, type);
	put32(b, PERF_RECORD_MISC_USER | (body->n + 8) << 16);
	put(b, body->p, body->n);
}

/* ---- reading the tables, with checks of their bounds ---- */

static const Elf64_Ehdr *head_of(const struct bytes *b)
{
	return b->n >= sizeof(Elf64_Ehdr) && !memcmp(b->p, ELFMAG "\2\1", 6) ? (const Elf64_Ehdr *)b->p : NULL;
}

static const Elf64_Shdr *sections_of(const struct bytes *b, size_t *n)
{
	const Elf64_Ehdr *h = head_of(b);

	*n = 0;
	if (!h || h->e_shoff % 8 || h->e_shoff > b->n || h->e_shentsize != sizeof(Elf64_Shdr) ||
	    h->e_shnum > (b->n - h->e_shoff) / sizeof(Elf64_Shdr))
		return NULL;
	*n = h->e_shnum;
	return (const Elf64_Shdr *)(b->p + h->e_shoff);
}

static bool holds(const struct bytes *b, const Elf64_Shdr *s)
{
	return s->sh_type != SHT_NOBITS && s->sh_offset <= b->n && s->sh_size <= b->n - s->sh_offset && s->sh_size;
}

const char *elf_broken(const struct bytes *b)
{
	const Elf64_Ehdr *h = head_of(b);
	const Elf64_Shdr *s;
	size_t n;

	if (!h)
		return "the magic";
	s = sections_of(b, &n);
	if (!s)
		return "the section table";
	for (size_t i = 1; i < n; i++)
		if (s[i].sh_type == SHT_SYMTAB && s[i].sh_size && !holds(b, &s[i]))
			return "the symbol table";
	return NULL;
}

static void sample(struct bytes *b, uint64_t ip, unsigned int i, const uint64_t *others, size_t n)
{
	struct bytes body = { 0 };

	put64(&body, ip);
	put32(&body, PID);
	put32(&body, PID);
	put64(&body, 1000000000 + 1000 * i);
	put64(&body, 100);
	put64(&body, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned int k = 0; k < 24; k++)
		if (0xff0fffu >> k & 1)
			put64(&body, k == 8 ? ip : k == 7 || k == 6 ? STACK_AT : STACK_AT + 8 * k);
	put64(&body, STACK);
	for (unsigned int k = 0; k < STACK / 8; k++)
		put64(&body, k % 3 ? STACK_AT + 8 * (k + 2) : others[(i + k) % n] + 1);
	put64(&body, STACK);
	record(b, PERF_RECORD_SAMPLE, &body);
	free(body.p);
}

/* Store the addresses of the start and the middle of each function in the process, and return their number. */
static size_t functions(const struct bytes *p, uint64_t *ips)
{
	const Elf64_Ehdr *h = head_of(p);
	const Elf64_Shdr *s;
	size_t nsections, n = 0;

	if (!h || h->e_phoff > p->n || h->e_phnum > (p->n - h->e_phoff) / sizeof(Elf64_Phdr))
		die("no 64-bit ELF file", "program");
	s = sections_of(p, &nsections);
	for (size_t i = 0; i < nsections; i++) {
		if ((s[i].sh_type != SHT_SYMTAB && s[i].sh_type != SHT_DYNSYM) || !holds(p, &s[i]))
			continue;
		for (size_t k = 0; k < s[i].sh_size / sizeof(Elf64_Sym) && n + 2 < SAMPLES_MAX; k++) {
			Elf64_Sym y;

			memcpy(&y, p->p + s[i].sh_offset + k * sizeof(y), sizeof(y));
			if (ELF64_ST_TYPE(y.st_info) == STT_FUNC && y.st_value && y.st_size) {
				ips[n++] = BASE + y.st_value;
				ips[n++] = BASE + y.st_value + y.st_size / 2;
			}
		}
	}
	return n;
}

size_t record_elf(struct bytes *b, const struct bytes *program)
{
	const Elf64_Ehdr *h = head_of(program);
	uint64_t ips[SAMPLES_MAX];
	struct bytes data = { 0 }, body = { 0 };
	size_t n = functions(program, ips);

	if (!n)
		die("it has no functions", "program");
	for (unsigned int i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr ph;

		memcpy(&ph, program->p + h->e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type != PT_LOAD)
			continue;
		body.n = 0;
		put32(&body, PID);
		put32(&body, PID);
		put64(&body, BASE + (ph.p_vaddr & ~UINT64_C(4095)));
		put64(&body, (ph.p_memsz + ph.p_vaddr % 4096 + 4095) & ~UINT64_C(4095));
		put64(&body, ph.p_offset & ~UINT64_C(4095));
		fill(&body, 24);
		put32(&body, (ph.p_flags & PF_X ? 4 : 0) | 1);
		put32(&body, 2);
		put(&body, "/app\0\0\0", 8);
		record(&data, PERF_RECORD_MMAP2, &body);
	}
	for (size_t i = 0; i < n; i++)
		sample(&data, ips[i], (unsigned int)i, ips, n);
	put(b, "PERFILE2", 8);
	put64(b, 104);
	put64(b, 128);
	put64(b, 104);
	put64(b, 128);
	put64(b, 232);
	put64(b, data.n);
	fill(b, 48);
	put32(b, 1);
	put32(b, 112);
	put64(b, 0);
	put64(b, 4000);
	put64(b,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER |
			PERF_SAMPLE_STACK_USER);
	fill(b, 104 + 80 - b->n);
	put64(b, 0xff0fff);
	put32(b, STACK);
	fill(b, 232 - b->n);
	put(b, data.p, data.n);
	free(data.p);
	free(body.p);
	return n;
}

/* ---- damage ---- */

static uint64_t extreme(struct bytes *b, struct rng *r)
{
	static const uint64_t values[] = { 0, 1, 8, 0xff, 0xffff, 0x10000, 0x7fffffff, 0xffffffff, UINT64_C(1) << 32,
		INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 7, UINT64_MAX };
	size_t n = sizeof(values) / sizeof(values[0]), k = below(r, n + 2);

	return k < n ? values[k] : k == n ? b->n : random64(r);
}

static void noise(struct bytes *b, struct rng *r, size_t off, size_t size)
{
	for (size_t n = 1 + below(r, 6); n && size; n--) {
		size_t at = off + below(r, size), width = (size_t)1 << below(r, 4);

		if (!below(r, 3)) {
			b->p[at] ^= (uint8_t)(1 << below(r, 8));
		} else if (at + width <= off + size) {
			store(b->p + at, (unsigned int)width, false, extreme(b, r));
		}
	}
}

const char *mutate_elf(struct bytes *b, struct rng *r)
{
	const Elf64_Ehdr *h = head_of(b);
	const Elf64_Shdr *s, *one;
	Elf64_Shdr chosen;
	size_t n, at;

	s = sections_of(b, &n);
	if (!h || !s || n < 2)
		die("damaged before it is damaged", "program");
	one = &s[1 + below(r, n - 1)];
	chosen = *one;
	switch (below(r, 12)) {
	case 0:
		noise(b, r, 0, sizeof(*h));
		return "elf-header";
	case 1:
		noise(b, r, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr));
		return "elf-segments";
	case 2:
		at = (size_t)((const uint8_t *)one - b->p);
		store(b->p + at + 8 * below(r, 8), 8, false, extreme(b, r));
		return "elf-section-header";
	case 3:
		at = (size_t)((const uint8_t *)one - b->p);
		store(b->p + at + 24 + 8 * below(r, 2), 8, false, s[below(r, n)].sh_offset);
		return "elf-section-moved";
	case 4:
		b->n = below(r, b->n);
		return "elf-cut";
	case 5:
		splice(b, below(r, b->n), 0, b->p, 1 + below(r, 64));
		return "elf-inserted";
	default:
		if (!holds(b, &chosen))
			noise(b, r, 0, b->n);
		else if (chosen.sh_type == SHT_SYMTAB || chosen.sh_type == SHT_DYNSYM || below(r, 2))
			noise(b, r, chosen.sh_offset, chosen.sh_size);
		else	/* damage the start of the section, where lengths and versions are */
			noise(b, r, chosen.sh_offset, chosen.sh_size < 32 ? chosen.sh_size : 32);
		return chosen.sh_type == SHT_PROGBITS ? "elf-contents" : "elf-tables";
	}
}
