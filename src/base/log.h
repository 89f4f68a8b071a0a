/*
 * log.h - collect warnings: count them by code and keep the first text of each code
 *
 * A reader that skips something adds a warning and continues.  Warnings with the same code are counted;
 * only the first text is kept.  At its end, the command prints them to stderr (`hotdrift: warning: ...`),
 * and `info --json` lists them.  Codes are stable and dotted.  A code that starts with `lost.`
 * means that a part of the data was lost.
 */
#ifndef HD_BASE_LOG_H
#define HD_BASE_LOG_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hd_warning {
	char *code;		/* e.g. "lost.cut-record" */
	uint64_t count;
	char *text;		/* text of the first warning; raw bytes, which are encoded when they are printed */
	char *fix;		/* advice, or ""; printed without encoding, so it must be safe on a terminal */
};

struct hd_log {
	struct hd_warning *items;
	size_t n, cap;
	size_t printed;		/* number of items that were printed */
	/*
	 * If set, hd_warn_n() calls amend() twice for a warning that it adds: with the text, and with the advice how to
	 * fix the cause.  amend() appends to `out` what is stored instead.
	 */
	void (*amend)(struct hd_buf *out, const char *text, const void *arg);
	const void *amend_arg;	/* borrowed */
};

/* Add `count` to the counter of `code`.  The text and fix of the first call are copied. */
void hd_warn_n(struct hd_log *log, const char *code, uint64_t count, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#define hd_warn(log, code, fix, ...) hd_warn_n((log), (code), 1, (fix), __VA_ARGS__)

/* Add all warnings of `from` to `to`. */
void hd_log_add(struct hd_log *to, const struct hd_log *from);

const struct hd_warning *hd_log_find(const struct hd_log *log, const char *code);	/* NULL if there is none */

/*
 * Print the warnings that were not printed yet, in order of first occurrence.  Their texts are encoded for a terminal.
 * This function and hd_print_message() allocate nothing: they are called after an output was committed, when a command
 * must not fail any more.
 */
void hd_log_print(struct hd_log *log, FILE *to);
void hd_log_release(struct hd_log *log);

/* Print `hotdrift: <level>: <text>\n` to stderr, encoded for a terminal.  level: "error", "warning", "note". */
void hd_print_message(const char *level, const char *text);

#endif
