/*
 * process_memory.c - see process_memory.h
 */
#include "track/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { CHUNK = 1024 };

struct source {
	int fd;
	char chunk[CHUNK];
	ssize_t at, n;
};

/* Return the next byte, or -1 at the end or if reading fails. */
static int next_byte(struct source *s)
{
	if (s->at == s->n) {
		do
			s->n = read(s->fd, s->chunk, sizeof(s->chunk));
		while (s->n < 0 && errno == EINTR);
		s->at = 0;
		if (s->n <= 0)
			s->n = 0;
	}
	return s->at < s->n ? (unsigned char)s->chunk[s->at++] : -1;
}

/*
 * Skip input up to and including the text `end`.  The first character of `end` must occur in it only once.  Input is
 * read in chunks, because lines such as "Groups:" can be long.  Returns false if the input does not have the text.
 */
static bool skip_past(struct source *s, const char *end)
{
	const char *at = end;

	while (*at) {
		int c = next_byte(s);

		if (c < 0)
			return false;
		at = c == (unsigned char)*at ? at + 1 : c == (unsigned char)*end ? end + 1 : end;
	}
	return true;
}

/* Skip blanks and read a whole number.  Returns false if there is none or it is too large. */
static bool read_number(struct source *s, uint64_t *out)
{
	int c = next_byte(s);
	bool any = false;

	*out = 0;
	while (c == ' ' || c == '\t')
		c = next_byte(s);
	for (; c >= '0' && c <= '9'; any = true, c = next_byte(s)) {
		if (*out > UINT64_MAX / 65536 / 10)	/* pages and KiB become bytes */
			return false;
		*out = *out * 10 + (uint64_t)(c - '0');
	}
	return any;
}

static int read_from(const char *path, const char *after, uint64_t unit, uint64_t *bytes)
{
	int errno_was = errno;
	struct source s = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	bool got = s.fd >= 0 && skip_past(&s, after) && read_number(&s, bytes);

	if (s.fd >= 0)
		close(s.fd);
	errno = errno_was;
	if (!got)
		return HD_TRACK_UNSUPPORTED;
	*bytes *= unit;
	return HD_TRACK_OK;
}

int hd_process_memory_rss(uint64_t *bytes)
{
	return read_from("/proc/self/statm", " ", (uint64_t)sysconf(_SC_PAGESIZE), bytes);
}

int hd_process_memory_peak(uint64_t *bytes)
{
	return read_from("/proc/self/status", "\nVmHWM:", 1024, bytes);
}
