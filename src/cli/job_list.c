/*
 * job_list.c - see job_list.h
 */
#include "cli/job_list.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <string.h>
#include <unistd.h>

enum {
	LIST_MOST = 1 << 30,	/* maximum size of the file that lists the recordings, in bytes */
	NAME_MOST = 60,		/* characters of the path in an output name */
	/* digits of the path's SHA-256 in an output name: 128 bits, against paths constructed to have equal digits */
	HASH_DIGITS = 32,
};

int hd_job_list_read(struct hd_string_list *paths, struct hd_buf *text, const char *from, bool null,
	struct hd_err *err)
{
	int fd = hd_file_open(from, err), rc;
	const char *zero;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, from, LIST_MOST, text, err);
	close(fd);
	if (rc < 0 || !text->len)
		return rc < 0 ? rc : 0;
	zero = null ? NULL : memchr(text->data, '\0', text->len);
	if (zero)
		return hd_fail(err, HD_EFORMAT,
			"%s: has a zero byte at offset %zu; use --null if zero bytes end its names", from,
			(size_t)(zero - text->data));
	for (char *at = text->data, *end; at < text->data + text->len; at = end + 1) {
		end = memchr(at, null ? '\0' : '\n', (size_t)(text->data + text->len - at));
		if (!end)
			end = text->data + text->len;	/* the buffer's own zero byte */
		*end = '\0';
		if (!*at)
			continue;
		HD_GROW(paths->items, paths->n + 1, paths->cap);
		paths->items[paths->n++] = at;
	}
	return 0;
}

/* Parse digits, which must be followed by `stop`. */
static bool number(const char *text, char stop, size_t *value)
{
	size_t n = strspn(text, "0123456789");

	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value = *value * 10 + (size_t)(text[i] - '0');
	return n > 0 && n <= 9 && text[n] == stop;
}

int hd_job_list_slice(struct hd_string_list *paths, const char *slice, struct hd_err *err)
{
	size_t which, slices, n = 0;

	if (!number(slice, '/', &which) || !number(strchr(slice, '/') + 1, '\0', &slices) || which < 1 ||
	    which > slices)
		return hd_fail(err, HD_EUSAGE, "--slice takes I/N, the I-th of N slices, counted from 1, not '%.40s'",
			slice);
	for (size_t i = which - 1; i < paths->n; i += slices)
		paths->items[n++] = paths->items[i];
	paths->n = n;
	return 0;
}

void hd_job_output_name(struct hd_buf *out, const char *path)
{
	size_t n = strlen(path), from = n > NAME_MOST ? n - NAME_MOST : 0;
	char hex[HD_SHA256_HEX];

	for (size_t i = from; i < n; i++) {
		bool letter = (path[i] >= 'a' && path[i] <= 'z') || (path[i] >= 'A' && path[i] <= 'Z') ||
			(path[i] >= '0' && path[i] <= '9');
		bool mark = i > from && (path[i] == '.' || path[i] == '-');

		hd_buf_addc(out, letter || mark ? path[i] : '_');
	}
	if (!n)
		hd_buf_addc(out, '_');
	hd_sha256_hex(path, n, hex);
	hd_buf_addf(out, "-%.*s", HASH_DIGITS, hex);
}
