/*
 * err.h - error codes and messages
 *
 * A function that can fail returns >= 0, or a negative hd_code with a message in the `struct hd_err *` that is its last
 * parameter.  The function that detects the fault writes the whole message, with file, offset and numbers.  Callers
 * pass it up; only cli/main.c prints it.
 *
 * Each code is one exit status of the program.
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
	int errnum;		/* set by hd_fail_errno(); else 0 */
	char msg[1024];		/* raw bytes; encoded when printed */
};

/* Write the message to `err`, which may be NULL, and return `code`. */
int hd_fail(struct hd_err *err, enum hd_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Like hd_fail(), and append ": " and the text of errnum, as strerror() does. */
int hd_fail_errno(struct hd_err *err, enum hd_code code, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Return the exit status (0..6) for a return value. */
int hd_exit_status(int rc);

#endif
