/*
 * witness_check.h - state that witness_check.c and witness_check_rows.c share; private to them
 */
#ifndef HD_TRUST_WITNESS_CHECK_H
#define HD_TRUST_WITNESS_CHECK_H

#include "base/json.h"
#include "base/strtab.h"
#include "trust/witness.h"

/* The kinds of lines that may come next (witness.h). */
enum hd_witness_checker_state {
	HD_WITNESS_AT_HEAD,	/* the first line */
	HD_WITNESS_AT_PLACES,	/* an entry of a chain, the first "bundle", or the footer */
	HD_WITNESS_AT_ROWS,	/* a row, a text or the end of the run */
	HD_WITNESS_AT_TEXTS,	/* a text or the end of the run */
	HD_WITNESS_AT_BETWEEN	/* the next "bundle", or the footer */
};

struct hd_witness_checker {
	struct hd_witness *w;
	const char *path;
	size_t line;				/* number of the current line, from 1 */
	enum hd_witness_checker_state state;
	struct hd_strtab *origins, *hashes;	/* names of the chains, and hashes of their entries, read so far */
	/* the current run */
	struct hd_content_hash content;
	bool hashing;
	struct hd_strtab *wanted;		/* keys of the texts that the rows of the run refer to */
	size_t given;				/* how many of these texts were read */
	char key[HD_SHA256_HEX];		/* key of the current text; "" if there is none */
	struct hd_sha256 *sum;
	struct hd_witness_weights weights;
	uint64_t bytes;
	size_t inputs;				/* number of artifacts compared with the "bundle" line so far */
	struct hd_json_doc *head;		/* the "bundle" line of the current run */
};

/* Fail with HD_ENO and the number of the current line. */
int hd_witness_checker_fail(struct hd_witness_checker *c, struct hd_err *err, const char *what);
/* Return the current run. */
struct hd_witness_run *hd_witness_checker_run(struct hd_witness_checker *c);

/* Return a string member of a line, without NULs inside; NULL if it is missing or has another type. */
const char *hd_witness_checker_string(const struct hd_json *o, const char *key);
/* Store an integer.  Returns false if `v` is missing (NULL) or is not an integer of 64 bits. */
bool hd_witness_checker_integer(const struct hd_json *v, int64_t *out);
bool hd_witness_checker_is_hash(const char *s);

/* witness_check_rows.c: handle the lines of a run that follow its "bundle" line. */
int hd_witness_checker_on_row(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err);
int hd_witness_checker_on_text(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err);
int hd_witness_checker_on_end(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err);
/* Free the state of the current run, if there is one. */
void hd_witness_checker_end_run(struct hd_witness_checker *c);

#endif
