/*
 * witness.h - a chain and runs of it as a file that another machine can check
 *
 * JSON, one object a line, keys sorted and no blanks, the last one "~": the SHA-256 of the line
 * before's "~" (64 zeros before the first), a line end, and this line up to `,"~"`.  docs/witness.md
 * has the format, and why these rows.
 *
 *     {"format":"hotdrift.witness",...}      the first line
 *     {...,"kind":"run",...}                 each place of the chains, from their starts; "tombstone"
 *     {...,"kind":"bundle",...}              a run: commit, configuration, inputs and its hashes, then
 *     {"kind":"row",...}                       all rows of its content (content_hash.h): hotspots, summaries, ...
 *     {"key":...,"kind":"text",...}            the stacks and CSV files that they refer to, in pieces
 *     {...,"kind":"end",...}                   sums and counts over these lines
 *     {"kind":"footer",...}                  the last line; its "~" is a sum of the whole file
 *
 * Whoever writes such a file can compute all of it, so what it proves is: these rows are a run with this
 * hash at this place of this chain.  That the hash is the true one is told by a database, or a hash kept elsewhere.
 */
#ifndef HD_TRUST_WITNESS_H
#define HD_TRUST_WITNESS_H

#include "base/file.h"
#include "base/map.h"
#include "base/sha256.h"
#include "base/strtab.h"
#include "trust/content_hash.h"

enum { HD_WITNESS_VERSION = 2, HD_WITNESS_TEXT = 32768 };	/* bytes of a text in one line */

/* ---- writing ---- */

enum hd_witness_scope { HD_WITNESS_CHAIN = 1, HD_WITNESS_RUNS = 2 };

/* The runs (run.id), and the chains that they are of; which: of the two. */
int hd_witness_write(struct hd_outfile *out, struct hd_db *db, const int64_t *runs, size_t n, unsigned which,
	struct hd_err *err);

/* ---- checking ---- */

enum { HD_WITNESS_TOP = 10 };

/* One of the costliest symbols of an event, names in their visible form. */
struct hd_witness_top {
	int64_t event, rank, self, samples;
	char *name, *vaddr;		/* either may be NULL */
};

struct hd_witness_event {
	int64_t event, weight, samples;
	char *name, *unit;
	uint32_t key;			/* of its stacks, among the keys of the sums; 0: none */
	uint64_t hotspots, self;	/* rows, and the sum of their self cost */
	uint64_t lines, line_weight;	/* of the stacks */
};

/* Lines of folded text, whose last word is a weight, in pieces that end anywhere. */
struct hd_witness_weights {
	uint64_t lines, weight, number;
};

/* What the lines of one run sum to. */
struct hd_witness_sums {
	struct hd_witness_event *events;
	size_t nevents, cap;
	struct hd_map by_number;	/* of the event -> index */
	struct hd_strtab *keys;		/* of texts */
	struct hd_witness_weights *of_key;
	size_t nof_key, of_key_cap;
	int64_t read, kept;
	uint64_t rows, dropped, series, summaries, texts, text_bytes;
};

struct hd_witness_run {
	char *run_id, *hash, *origin, *content, *prev;
	int64_t seq;
	char *commit, *config, *recording;	/* recording: the SHA-256 of the first input; NULL: not known */
	char *inline_mode;
	size_t line;			/* of its bundle */
	struct hd_witness_sums sums;
	struct hd_witness_top *tops;
	size_t ntops, tops_cap;
};

struct hd_witness_place {
	char origin[65], hash[HD_SHA256_HEX];
	int64_t seq;
	bool pruned;
	size_t line;
};

struct hd_witness {
	size_t lines;
	struct hd_witness_place *places;
	size_t nplaces, places_cap;
	struct hd_witness_run *runs;
	size_t nruns, runs_cap;
	char sum[HD_SHA256_HEX];	/* of the whole file */
};

/*
 * 0 when every line, hash and sum holds; HD_EFORMAT when it is no witness, or one of a newer version; else
 * HD_ENO with the first line that was changed, removed, inserted or moved, or whose sums are wrong.  path is for
 * the messages.  *w is to be released in any case.
 */
int hd_witness_check(struct hd_witness *w, const char *text, size_t len, const char *path, struct hd_err *err);
void hd_witness_release(struct hd_witness *w);

/* Does the database have the same runs at the same places?  HD_ENO with the first that it has not. */
int hd_witness_compare(const struct hd_witness *w, struct hd_db *db, const char *path, struct hd_err *err);

/* ---- what writing and checking share ---- */

/* witness_lines.c: does each line follow the one before it?  *lines holds where each begins and ends. */
struct hd_witness_line {
	const char *text;
	size_t len;			/* without the line end */
};
int hd_witness_lines(struct hd_witness_line **lines, size_t *n, const char *text, size_t len, const char *path,
	struct hd_err *err);
void hd_witness_next_sum(const char before[HD_SHA256_HEX], const char *body, size_t len, char sum[HD_SHA256_HEX]);

/* witness_sums.c */
/* Return the cell with the key of the text that a row refers to; NULL if it refers to none. */
const struct hd_content_cell *hd_witness_key_cell(const struct hd_content_row *row);
void hd_witness_sum_row(struct hd_witness_sums *s, const struct hd_content_row *row);
/* A whole text; what events it belongs to is told by _settle, behind the last. */
void hd_witness_sum_text(struct hd_witness_sums *s, const char *key, uint64_t bytes,
	const struct hd_witness_weights *w);
void hd_witness_sums_finish(struct hd_witness_sums *s);
void hd_witness_sums_json(struct hd_buf *out,
	const struct hd_witness_sums *s); /* the members of an end line, but for "kind" and "n" */
void hd_witness_sums_release(struct hd_witness_sums *s);

void hd_witness_weights_add(struct hd_witness_weights *w, const char *p, size_t n);

#endif
