/*
 * err.h - one code and one sentence for everything that can fail
 *
 * What can fail returns >= 0, or a negative hd_code with the sentence in a
 * `struct hd_err *` passed last.  Whoever detects the fault writes the whole
 * sentence, with the file, the offset and the numbers; callers pass it up and
 * only cli/main.c prints it, once.
 *
 * The codes map one to one onto the exit statuses of DESIGN.md.
 */
#ifndef HD_BASE_ERR_H
#define HD_BASE_ERR_H

#include <stddef.h>

enum hd_code {
	HD_OK = 0,
	HD_ENO = -1,		/* the answer is no               exit 1 */
	HD_EUSAGE = -2,		/* the command line is wrong      exit 2 */
	HD_EUNSURE = -3,	/* inconclusive                   exit 3 */
	HD_ENOBASE = -4,	/* not comparable, no baseline    exit 4 */
	HD_EFORMAT = -5,	/* bad input                      exit 5 */
	HD_EIO = -6,		/* trouble outside the input      exit 6 */
};

struct hd_err {
	enum hd_code code;
	int errnum;		/* of hd_fail_errno; else 0 */
	char msg[1024];		/* raw bytes; the terminal sink encodes them */
};

/* Write the sentence into `err` (which may be NULL) and return `code`. */
int hd_fail(struct hd_err *err, enum hd_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with `: strerror(errnum)` appended. */
int hd_fail_errno(struct hd_err *err, enum hd_code code, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The exit status (0..6) of a return value. */
int hd_exit_status(int rc);

#endif
