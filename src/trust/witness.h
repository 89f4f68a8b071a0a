/*
 * witness.h - export a chain and its runs to a file that another machine can verify
 *
 * A witness has one JSON object per line, with sorted keys and without blanks.  The last key of a line is "~": the
 * SHA-256 of the "~" of the line before (64 zeros for the first line), a line end, and this line up to `,"~"`.
 * docs/witness.md describes the format.
 *
 *     {"format":"hotdrift.witness",...}      the first line
 *     {...,"kind":"run",...}                 each entry of the chains, from their starts; or "tombstone"
 *     {...,"kind":"bundle",...}              a run: commit, configuration, inputs and hashes, then
 *     {"kind":"row",...}                       all rows of its content (content_hash.h): hotspots, summaries, ...
 *     {"key":...,"kind":"text",...}            the stacks and CSV files that the rows refer to, in pieces
 *     {...,"kind":"end",...}                   sums and counts over these lines
 *     {"kind":"footer",...}                  the last line; its "~" is a sum of the whole file
 *
 * The author of a witness can compute all of its hashes.  So a valid witness proves that these rows are a run
 * with this hash at this place of this chain.  Whether that hash is genuine is decided by a database, or by a hash
 * stored elsewhere.
 */
#ifndef HD_TRUST_WITNESS_H
#define HD_TRUST_WITNESS_H

#include "base/file.h"
#include "base/map.h"
#include "base/sha256.h"
#include "base/strtab.h"
#include "trust/content_hash.h"

/* HD_WITNESS_TEXT: maximum number of bytes of a text in one line */
enum { HD_WITNESS_VERSION = 2, HD_WITNESS_TEXT = 32768 };

/* ---- writing ---- */

enum hd_witness_scope { HD_WITNESS_CHAIN = 1, HD_WITNESS_RUNS = 2 };

/*
 * Write a witness of n runs (run.id), of the hash chains that contain them, or of both.  which: a set of enum
 * hd_witness_scope.
 */
int hd_witness_write(struct hd_outfile *out, struct hd_db *db, const int64_t *runs, size_t n, unsigned which,
	struct hd_err *err);

/* ---- checking ---- */

enum { HD_WITNESS_TOP = 10 };

/* One of the costliest symbols of an event; names are in their visible form. */
struct hd_witness_top {
	int64_t event, rank, self, samples;
	char *name, *vaddr;		/* vaddr: address as text; each is NULL if the row has NULL there */
};

struct hd_witness_event {
	int64_t event, weight, samples;
	char *name, *unit;
	/* index in hd_witness_sums.keys of the key of the event's stacks; 0: the event has no stacks */
	uint32_t key;
	uint64_t hotspots;		/* number of hotspot rows */
	uint64_t self;			/* sum of the self costs of the hotspot rows */
	uint64_t lines;			/* number of lines of the event's folded stacks */
	uint64_t line_weight;		/* sum of the weights of these lines */
};

/*
 * Number of lines of folded stacks, and sum of their weights, which are the last words of the lines.  The text is
 * passed in pieces of any length.
 */
struct hd_witness_weights {
	uint64_t lines, weight;
	uint64_t number;		/* the value of the digits read so far */
};

/* The sums over the lines of one run. */
struct hd_witness_sums {
	struct hd_witness_event *events;
	size_t nevents, cap;
	struct hd_map by_number;	/* number of an event -> index into events */
	struct hd_strtab *keys;		/* the keys (SHA-256) of all texts */
	/* number of lines and sum of weights of each stored text; the index is the id of the text's key in `keys` */
	struct hd_witness_weights *of_key;
	size_t nof_key, of_key_cap;
	int64_t read, kept;
	uint64_t rows, dropped, series, summaries, texts, text_bytes;
};

struct hd_witness_run {
	char *run_id, *hash, *origin, *content, *prev;
	int64_t seq;
	/* recording: SHA-256 of the run's first artifact of the kind "recording"; NULL: there is none */
	char *commit, *config, *recording;
	char *inline_mode;
	size_t line;			/* number of its "bundle" line */
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
	char sum[HD_SHA256_HEX];	/* sum of the whole file: the last "~" */
};

/*
 * Verify every line, hash and sum of a witness.  Returns HD_EFORMAT if the text is not a witness, or one of a newer
 * version.  Returns HD_ENO if a line was changed, removed, inserted or moved, or has wrong sums; the message names the
 * first such line.  path is for messages.  *w must be released in any case.
 */
int hd_witness_check(struct hd_witness *w, const char *text, size_t len, const char *path, struct hd_err *err);
void hd_witness_release(struct hd_witness *w);

/*
 * Compare a witness with a database.  Returns HD_ENO if the database does not have the same run at the same place of a
 * hash chain; the message names the first such run.
 */
int hd_witness_compare(const struct hd_witness *w, struct hd_db *db, const char *path, struct hd_err *err);

/* ---- shared by writing and checking ---- */

/*
 * witness_lines.c: split a witness into lines (*lines is owned by the caller), and verify that the sum in each line
 * continues that of the line before.
 */
struct hd_witness_line {
	const char *text;
	size_t len;			/* without the line end */
};
int hd_witness_lines(struct hd_witness_line **lines, size_t *n, const char *text, size_t len, const char *path,
	struct hd_err *err);
void hd_witness_next_sum(const char before[HD_SHA256_HEX], const char *body, size_t len, char sum[HD_SHA256_HEX]);

/* Functions of witness_sums.c. */
/*
 * The key of a text (folded stacks, a CSV file) is its SHA-256.  A row that refers to a text has the key in one of its
 * cells.  Return this cell; NULL if the row does not refer to a text.
 */
const struct hd_content_cell *hd_witness_key_cell(const struct hd_content_row *row);
void hd_witness_sum_row(struct hd_witness_sums *s, const struct hd_content_row *row);
/*
 * Add the sums (lines, weights) of a text that was read to its end.  key: the text's key; bytes: its length.
 * hd_witness_sums_finish() copies these sums to each event whose row refers to this key.
 */
void hd_witness_sum_text(struct hd_witness_sums *s, const char *key, uint64_t bytes,
	const struct hd_witness_weights *w);
/* Finish the sums.  Must be called after the last row and the last text of the run. */
void hd_witness_sums_finish(struct hd_witness_sums *s);
/* Append the first members of an "end" line, up to "kind". */
void hd_witness_sums_json(struct hd_buf *out, const struct hd_witness_sums *s);
void hd_witness_sums_release(struct hd_witness_sums *s);

/* Add the next n bytes of a text. */
void hd_witness_weights_add(struct hd_witness_weights *w, const char *p, size_t n);

#endif
