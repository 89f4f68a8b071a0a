/*
 * word_lines.c - see word_lines.h
 */
#include "trust/word_lines.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILE = 64 << 20 };		/* bytes */

int hd_word_lines_read(struct hd_buf *text, const char *path, struct hd_err *err)
{
	int fd, rc;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	fd = hd_file_open(path, err);
	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_FILE, text, err);
	close(fd);
	return rc < 0 ? rc : 1;
}

bool hd_word_lines_next(struct hd_word_lines *l)
{
	while (l->next < l->end) {
		const char *stop = memchr(l->next, '\n', (size_t)(l->end - l->next));

		l->at = l->next;
		l->stop = stop ? stop : l->end;
		l->next = stop ? stop + 1 : l->end;
		l->line++;
		if (l->stop > l->at && l->stop[-1] == '\r')
			l->stop--;
		if (l->stop > l->at && *l->at != '#')
			return true;
	}
	return false;
}

bool hd_word_lines_take(struct hd_word_lines *l, const char *of, char *out, size_t room)
{
	const char *start = l->at;
	size_t n = 0;

	while (start + n < l->stop && start[n] != ' ')
		n++;
	if (!n || n >= room)
		return false;
	memcpy(out, start, n);
	out[n] = '\0';
	l->at = start + n + (start + n < l->stop);
	return !out[strspn(out, of)];
}

bool hd_word_lines_take_number(struct hd_word_lines *l, int64_t *number)
{
	char text[20];

	if (!hd_word_lines_take(l, "0123456789", text, sizeof(text)))
		return false;
	*number = strtoll(text, NULL, 10);
	return *number > 0;
}

bool hd_word_lines_skip(struct hd_word_lines *l, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(l->stop - l->at) < n || memcmp(l->at, text, n))
		return false;
	l->at += n;
	return true;
}
