/*
 * main.c - make damaged recordings and programs, and list what a reader must do with each
 *
 *     mutants seeds OUT                    write the valid recordings, as OUT/NAME.data
 *     mutants make N SEED OUT FILE...      OUT/00001.data ... from these files, and OUT/manifest.tsv
 *     mutants elf N SEED OUT FILE...       OUT/NAME.data beside each program, OUT/00001.elf ..., and the manifest
 *     mutants look FILE...                 print what the strict reader finds in a file
 *     mutants amplify BYTES OUT            write small inputs that unpack to much (amplify.c), of about BYTES bytes
 *
 * The same N, SEED and files give the same mutants.  A row of the manifest:
 *
 *     file  seed  kind  class  samples  sound  offset  what
 *
 * class E: the strict reader found a broken bound (`what`, at `offset`), so a reader must report the damage; V: no
 * bound is broken, so a reader must account for each sample; M: the strict reader cannot decide.  `samples` is the
 * number of SAMPLE records in the walk, `sound` the number of those that are complete and precede any damage.
 */
#include "mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what, const char *which)
{
	fprintf(stderr, "mutants: error: %s: %s\n", which, what);
	exit(1);
}

static void room(struct bytes *b, size_t n)
{
	if (b->n + n <= b->cap)
		return;
	b->cap = 2 * (b->n + n) + 64;
	b->p = realloc(b->p, b->cap);
	if (!b->p)
		die("no memory", "buffer");
}

void put(struct bytes *b, const void *p, size_t n)
{
	room(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

void fill(struct bytes *b, size_t n)
{
	room(b, n);
	memset(b->p + b->n, 0, n);
	b->n += n;
}

void splice(struct bytes *b, size_t at, size_t gone, const void *p, size_t n)
{
	uint8_t *copy = malloc(n + 1);

	if (!copy)
		die("no memory", "buffer");
	if (n)
		memcpy(copy, p, n);
	room(b, n);
	memmove(b->p + at + n, b->p + at + gone, b->n - at - gone);
	memcpy(b->p + at, copy, n);
	b->n += n - gone;
	free(copy);
}

uint64_t random64(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

size_t below(struct rng *r, size_t n)
{
	return n ? (size_t)(random64(r) % n) : 0;
}

static void read_file(struct bytes *b, const char *path)
{
	uint8_t block[1 << 16];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		die("cannot open", path);
	while ((n = fread(block, 1, sizeof(block), f)))
		put(b, block, n);
	fclose(f);
}

static void write_file(const struct bytes *b, const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f))
		die("cannot write", path);
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Write a row of the manifest about the file `b`.  seed: the name of the file that it was made from, or "-"; was: the
 * contents of that file, NULL if `b` is not a mutant; first: offset of the first change.
 */
static void tell(FILE *f, const char *name, const char *seed, const char *kind, const struct bytes *b,
	const struct bytes *was, uint64_t first)
{
	struct layout l, before;
	uint64_t promised;

	layout_of(&l, b);
	promised = l.sound;
	if (was) {
		uint64_t whole = 0;

		/* Samples that end before the first change are sound, even if the walk does not reach them. */
		layout_of(&before, was);
		for (size_t i = 0; first > before.data_off && i < before.nrecords; i++)
			whole += before.records[i].type == 9 && before.records[i].off + before.records[i].size <= first;
		promised = whole > promised ? whole : promised;
		layout_release(&before);
	}
	fprintf(f, "%s\t%s\t%s\t%s\t%llu\t%llu\t0x%llx\t%s\n", name, seed, kind, l.unsure ? "M" : l.broken ? "E" : "V",
		(unsigned long long)l.samples, (unsigned long long)promised,
		(unsigned long long)(l.broken ? l.broken_off : 0),
		l.broken ? l.broken : "-");
	layout_release(&l);
}

static FILE *manifest(const char *dir)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/manifest.tsv", dir);
	f = fopen(path, "w");
	if (!f)
		die("cannot write", path);
	fputs("file\tseed\tkind\tclass\tsamples\tsound\toffset\twhat\n", f);
	return f;
}

static void make(unsigned long n, uint64_t seed, const char *dir, char **paths, size_t npaths)
{
	struct bytes *seeds = calloc(npaths, sizeof(*seeds)), b = { 0 };
	FILE *f = manifest(dir);

	if (!seeds)
		die("no memory", "seeds");
	for (size_t i = 0; i < npaths; i++)
		read_file(&seeds[i], paths[i]);
	for (unsigned long i = 1; i <= n; i++) {
		struct rng r = { seed * UINT64_C(1000003) + i };
		size_t from = (size_t)(i - 1) % npaths;
		uint64_t first;
		const char *kind;
		char name[32];

		b.n = 0;
		put(&b, seeds[from].p, seeds[from].n);
		kind = mutate(&b, &r, &seeds[below(&r, npaths)], &first);
		snprintf(name, sizeof(name), "%05lu.data", i);
		write_file(&b, dir, name);
		tell(f, name, name_of(paths[from]), kind, &b, &seeds[from], first);
	}
	fclose(f);
}

static void make_elf(unsigned long n, uint64_t seed, const char *dir, char **paths, size_t npaths)
{
	struct bytes *seeds = calloc(npaths, sizeof(*seeds)), b = { 0 };
	size_t *samples = calloc(npaths, sizeof(*samples));
	FILE *f = manifest(dir);
	char name[4096];

	if (!seeds || !samples)
		die("no memory", "seeds");
	for (size_t i = 0; i < npaths; i++) {
		read_file(&seeds[i], paths[i]);
		b.n = 0;
		samples[i] = record_elf(&b, &seeds[i]);
		snprintf(name, sizeof(name), "%s.data", name_of(paths[i]));
		write_file(&b, dir, name);
	}
	for (unsigned long i = 1; i <= n; i++) {
		struct rng r = { seed * UINT64_C(1000033) + i };
		size_t from = (size_t)(i - 1) % npaths;
		const char *kind, *what;

		b.n = 0;
		put(&b, seeds[from].p, seeds[from].n);
		kind = mutate_elf(&b, &r);
		what = elf_broken(&b);
		snprintf(name, sizeof(name), "%05lu.elf", i);
		write_file(&b, dir, name);
		fprintf(f, "%s\t%s\t%s\t%s\t%zu\t%zu\t0x0\t%s\n", name, name_of(paths[from]), kind, what ? "E" : "M",
			samples[from], samples[from], what ? what : "-");
	}
	fclose(f);
}

static void write_amplifiers(size_t bytes, const char *dir)
{
	const char *kind;

	for (unsigned int i = 0;; i++) {
		struct bytes b = { 0 };
		char name[64];

		kind = make_amplifier(&b, i, bytes);
		if (!kind)
			return;
		snprintf(name, sizeof(name), "%s.data", kind);
		write_file(&b, dir, name);
		free(b.p);
	}
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "seeds") && argc == 3) {
		const char *seed;

		for (unsigned int i = 0;; i++) {
			struct bytes b = { 0 };
			char name[64];

			seed = make_seed(&b, i);
			if (!seed)
				break;
			snprintf(name, sizeof(name), "%s.data", seed);
			write_file(&b, argv[2], name);
			free(b.p);
		}
	} else if (!strcmp(verb, "amplify") && argc == 4) {
		write_amplifiers(strtoul(argv[2], NULL, 10), argv[3]);
	} else if (!strcmp(verb, "look")) {
		for (int i = 2; i < argc; i++) {
			struct bytes b = { 0 };

			read_file(&b, argv[i]);
			tell(stdout, name_of(argv[i]), "-", "-", &b, NULL, 0);
			free(b.p);
		}
	} else if ((!strcmp(verb, "make") || !strcmp(verb, "elf")) && argc > 5) {
		void (*act)(unsigned long, uint64_t, const char *, char **, size_t) = *verb == 'm' ? make : make_elf;

		act(strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4], argv + 5, (size_t)argc - 5);
	} else {
		die("usage: mutants seeds OUT | make N SEED OUT FILE... | elf N SEED OUT FILE... | look FILE... | "
			"amplify BYTES OUT",
			"command line");
	}
	return 0;
}
