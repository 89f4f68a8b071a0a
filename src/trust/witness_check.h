/*
 * witness_check.h - what witness_check.c and witness_check_rows.c share; nobody else includes this
 */
#ifndef HD_TRUST_WITNESS_CHECK_H
#define HD_TRUST_WITNESS_CHECK_H

#include "base/json.h"
#include "base/strtab.h"
#include "trust/witness.h"

enum hd_witness_checker_state {
	HD_WITNESS_AT_HEAD,
	HD_WITNESS_AT_PLACES,
	HD_WITNESS_AT_ROWS,
	HD_WITNESS_AT_TEXTS,
	HD_WITNESS_AT_BETWEEN
};

struct hd_witness_checker {
	struct hd_witness *w;
	const char *path;
	size_t line;				/* that is looked at, from 1 */
	enum hd_witness_checker_state state;
	struct hd_strtab *origins, *hashes;	/* of the places */
	/* the run that is looked at */
	struct hd_content_hash content;
	bool hashing;
	struct hd_strtab *wanted;		/* keys of texts that its rows refer to */
	size_t given;				/* texts of them */
	char key[HD_SHA256_HEX];		/* the text that is looked at, "" when none is */
	struct hd_sha256 *sum;
	struct hd_witness_weights weights;
	uint64_t bytes;
	size_t inputs;				/* artifacts that were compared with the head */
	struct hd_json_doc *head;		/* its bundle line */
};

/* HD_ENO about the line that is looked at. */
int hd_witness_checker_fail(struct hd_witness_checker *c, struct hd_err *err, const char *what);
struct hd_witness_run *hd_witness_checker_run(struct hd_witness_checker *c);

/* Members of a line: NULL and false when they are not there or something else. */
const char *hd_witness_checker_string(const struct hd_json *o, const char *key);
bool hd_witness_checker_integer(const struct hd_json *v, int64_t *out);
bool hd_witness_checker_is_hash(const char *s);

/* witness_check_rows.c: the lines of a run behind its head. */
int hd_witness_checker_on_row(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err);
int hd_witness_checker_on_text(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err);
int hd_witness_checker_on_end(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err);
void hd_witness_checker_end_run(struct hd_witness_checker *c);	/* at any time */

#endif
