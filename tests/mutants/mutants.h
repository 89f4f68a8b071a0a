/*
 * mutants.h - make damaged recordings, and decide what a reader must do with each; for tests/run-mutants.sh
 *
 *     seeds.c    makes small valid recordings
 *     layout.c   a strict reader: it lists the structural fields, and finds the first bound that is broken
 *     bodies.c   the part of this reader that reads the contents of records
 *     mutate.c   damages a recording, mostly the fields that layout.c lists
 *     amplify.c  makes small inputs that unpack to much
 *     elf.c      damages programs, and makes a valid recording for each program
 *     main.c     has the command line and writes the manifest
 *
 * Nothing here uses hotdrift's code, except a header with the format of heap recordings.  layout.c determines the
 * expected result for a mutant.
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

/* A generator of random numbers: equal states give equal numbers. */
struct rng {
	uint64_t state;
};
uint64_t random64(struct rng *r);
size_t below(struct rng *r, size_t n);			/* Returns a number less than n; 0 if n is 0. */

/* The kinds of structural fields.  A kind of damage changes some of them. */
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
	/* the file has a feature that this reader does not know, so the expected result is not known */
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

/* Make seed number i, counted from 0.  Returns its name (static), or NULL if i is too large. */
const char *make_seed(struct bytes *b, unsigned int i);

/*
 * Make input number i of amplify.c, counted from 0, with about `bytes` bytes.  Returns its name (static), or NULL if i
 * is too large.
 */
const char *make_amplifier(struct bytes *b, unsigned int i, size_t bytes);

/*
 * Damage b in one way or in several.  `other` is a recording from which bytes may be copied.  Returns the name of the
 * (first) kind of damage, and sets *first to the offset of the first change; "none" and UINT64_MAX if there is none.
 */
const char *mutate(struct bytes *b, struct rng *r, const struct bytes *other, uint64_t *first);
const char *mutate_elf(struct bytes *b, struct rng *r);
/* Make a recording with two samples in each function of a program that is mapped as /app.  Returns their number. */
size_t record_elf(struct bytes *b, const struct bytes *program);
/* Return a description of the damage if the ELF file's headers alone show it, or else NULL. */
const char *elf_broken(const struct bytes *b);

#endif
