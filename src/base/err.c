/*
 * err.c - see err.h
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(struct hd_err *err, enum hd_code code, const char *fmt, va_list ap)
{
	err->code = code;
	err->errnum = 0;
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
}

int hd_fail(struct hd_err *err, enum hd_code code, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		say(err, code, fmt, ap);
		va_end(ap);
	}
	return code;
}

int hd_fail_errno(struct hd_err *err, enum hd_code code, int errnum, const char *fmt, ...)
{
	if (err) {
		va_list ap;
		size_t n;

		va_start(ap, fmt);
		say(err, code, fmt, ap);
		va_end(ap);
		err->errnum = errnum;
		n = strlen(err->msg);
		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", strerror(errnum));
	}
	return code;
}

int hd_exit_status(int rc)
{
	return rc >= 0 ? 0 : rc >= HD_EIO ? -rc : -HD_EIO;
}
