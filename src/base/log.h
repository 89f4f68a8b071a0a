/*
 * log.h - warnings: counted, coded, limited in number, told once
 *
 * A reader that has to skip something says so here and goes on.  Warnings of
 * one code are counted; only the first keeps its text.  The command prints
 * them at its end to stderr (`hotdrift: warning: ...`), and `info --json`
 * lists them.  A code is stable and dotted: every loss starts with `lost.`.
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
	char *text;		/* of the first, raw bytes: sinks encode */
	char *fix;		/* what to do about it, or "" */
};

struct hd_log {
	struct hd_warning *items;
	size_t n, cap;
	size_t printed;		/* items already on stderr */
	/* If set, hd_warn_n() appends each new text and fix to `out` through it, and keeps the result. */
	void (*amend)(struct hd_buf *out, const char *text, const void *arg);
	const void *amend_arg;	/* caller-owned */
};

/* Count `count` more of `code`; keeps copies of text and fix of the first call. */
void hd_warn_n(struct hd_log *log, const char *code, uint64_t count, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#define hd_warn(log, code, fix, ...) hd_warn_n((log), (code), 1, (fix), __VA_ARGS__)

/* Add all of `from` to `to`. */
void hd_log_add(struct hd_log *to, const struct hd_log *from);

const struct hd_warning *hd_log_find(const struct hd_log *log, const char *code);	/* or NULL */

/*
 * Print what was not printed yet, in order of first sight, terminal-encoded.  This and hd_print_message() allocate nothing: they are
 * called after an output is in place, when a command must not fail any more.
 */
void hd_log_print(struct hd_log *log, FILE *to);
void hd_log_release(struct hd_log *log);

/* `hotdrift: <level>: <text>\n` to stderr, terminal-encoded.  level: "error", "warning", "note". */
void hd_print_message(const char *level, const char *text);

#endif
