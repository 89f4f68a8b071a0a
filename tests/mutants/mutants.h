/*
 * mutants.h - damaged recordings with a verdict, for tests/run-mutants.sh
 *
 *     seeds.c    small sound recordings, made here          -> a buffer
 *     layout.c   a strict reader of its own: where every structural field is, and the first bound that is broken;
 *                bodies.c what is inside of a record
 *     mutate.c   the kinds of damage, with the fields of layout.c as their aim
 *     amplify.c  small inputs that unpack to much
 *     elf.c      programs: the recording beside one, and damage to it
 *     main.c     the command line and the manifest
 *
 * Nothing here uses the program under test.  The expected result for a mutant is found by a second reader, which was
 * written from the description of the format and stops at the first broken bound.
 */
#ifndef HD_TESTS_MUTANTS_H
#define HD_TESTS_MUTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

_Noreturn void die(const char *what, const char *which);
void put(struct bytes *b, const void *p, size_t n);
void fill(struct bytes *b, size_t n);			/* n zero bytes */
void splice(struct bytes *b, size_t at, size_t gone, const void *p, size_t n);	/* p may point into b */

/* A random generator; equal seeds give equal numbers. */
struct rng {
	uint64_t state;
};
uint64_t random64(struct rng *r);
size_t below(struct rng *r, size_t n);			/* 0 when n is 0 */

/* The kinds of structural fields.  A kind of damage aims at some of them. */
enum what {
	F_HEADER,	/* sizes and feature bits of the header */
	F_SECTION,	/* an offset or a size of a section */
	F_ATTR,		/* a word of an attr */
	F_ID,		/* an id, in an attr's list or in a sample */
	F_TYPE,		/* of a record */
	F_SIZE,		/* of a record */
	F_COUNT,	/* a count of things in a record or a feature */
	F_TIME,
	F_NUMBER,	/* an address, a pid, a period: a reader cannot know that it is wrong */
	F_KINDS,
};

struct field {
	uint64_t off;
	uint8_t width;
	uint8_t what;
};

struct place {
	uint64_t off;
	uint32_t size, type;
};

/* What the strict reader found. */
struct layout {
	bool swap, pipe;
	/* the file has something that this reader does not know, so it gives no verdict */
	bool unsure;
	uint64_t data_off, data_end;	/* of the records */
	uint64_t table_off;		/* offset of the table of header features; 0: none */
	unsigned int nfeatures;
	struct field *fields;
	size_t nfields, cap_fields;
	struct place *records;		/* records that are not inside compressed ones */
	size_t nrecords, cap_records;
	const char *broken;		/* the first bound that is broken; NULL: none */
	uint64_t broken_off;
	uint64_t samples;		/* SAMPLE records up to the end of the walk */
	/* the number of these that are complete, belong to a known event, and precede any damage */
	uint64_t sound;
};

void layout_of(struct layout *l, const struct bytes *b);
void layout_release(struct layout *l);

uint64_t load(const uint8_t *p, unsigned int width, bool swap);
void store(uint8_t *p, unsigned int width, bool swap, uint64_t v);

/* Make seed number i.  Returns its name, or NULL if there are fewer. */
const char *make_seed(struct bytes *b, unsigned int i);

/*
 * Make small input number i that unpacks to much, of about `bytes` bytes.  Returns its name, or
 * NULL if there are fewer.
 */
const char *make_amplifier(struct bytes *b, unsigned int i, size_t bytes);

/* Damage b in one way or in several.  Returns the name of the (first) kind; `first` is where the first change is. */
const char *mutate(struct bytes *b, struct rng *r, const struct bytes *other, uint64_t *first);
const char *mutate_elf(struct bytes *b, struct rng *r);
/* Make a recording with a sample in each symbol of a program, mapped as /app.  Returns the number of samples. */
size_t record_elf(struct bytes *b, const struct bytes *program);
/* Return the damage if the ELF file's headers alone show it, else NULL. */
const char *elf_broken(const struct bytes *b);

#endif
