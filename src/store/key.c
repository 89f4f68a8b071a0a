/*
 * key.c - keys and lines of anchors: see anchor.h
 */
#include "store/anchor.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ANCHORS_FILE = 64 << 20 };	/* bytes */

#define WORD "hotdrift-anchor 1 "

int hd_key_set(struct hd_key *k, const void *bytes, size_t n, const char *path, struct hd_err *err)
{
	const char *p = bytes;
	char id[HD_SHA256_HEX];

	if (n && p[n - 1] == '\n')
		n--;
	if (n && p[n - 1] == '\r')
		n--;
	if (n < HD_KEY_MIN || n > HD_KEY_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: a key has %d to %d bytes, this one %zu: make one with 'openssl rand -hex 32'", path, HD_KEY_MIN,
			       HD_KEY_MAX, n);
	memcpy(k->bytes, p, n);
	k->n = n;
	hd_hmac_sha256_hex(k->bytes, k->n, "hotdrift key 1\n", strlen("hotdrift key 1\n"), id);
	snprintf(k->id, sizeof(k->id), "%.*s", HD_KEY_ID - 1, id);
	return 0;
}

int hd_key_read(struct hd_key *k, const char *path, struct hd_log *log, struct hd_err *err)
{
	uint8_t bytes[HD_KEY_MAX + 3];		/* a line end, and one more to see that there is more */
	struct stat st;
	ssize_t n;
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077))
		hd_warn(log, "key.readable", "chmod 600 the key", "%s: others than its owner may read this key (mode %03o)", path,
			(unsigned)st.st_mode & 0777);
	for (size_t got = 0; (n = read(fd, bytes + got, sizeof(bytes) - got)) != 0;) {
		if (n < 0 && errno != EINTR)
			break;
		got += n > 0 ? (size_t)n : 0;
		k->n = got;
		if (got == sizeof(bytes))
			break;
	}
	rc = n < 0 ? hd_fail_errno(err, HD_EIO, errno, "%s: cannot read the key", path) : hd_key_set(k, bytes, k->n, path, err);
	hd_wipe(bytes, sizeof(bytes));
	close(fd);
	if (rc < 0)
		hd_key_release(k);
	return rc;
}

void hd_key_release(struct hd_key *k)
{
	hd_wipe(k, sizeof(*k));
}

/* ---- lines ---- */

void hd_anchor_line(struct hd_buf *out, const struct hd_anchor *a)
{
	hd_buf_addf(out, WORD "%s %lld %s %s %s %s\n", a->origin, (long long)a->seq, a->hash, a->signed_utc, a->key_id, a->mac);
}

/* The next word of a line into `out`, of the characters `of` and within its room. */
static bool take_word(const char **p, const char *end, const char *of, char *out, size_t room)
{
	const char *start = *p;
	size_t n = 0;

	while (start + n < end && start[n] != ' ')
		n++;
	if (!n || n >= room)
		return false;
	memcpy(out, start, n);
	out[n] = '\0';
	*p = start + n + (start + n < end);
	return !out[strspn(out, of)];
}

static bool parse_line(struct hd_anchor *a, const char *p, const char *end)
{
	static const char hex[] = "0123456789abcdef";
	char seq[20];
	int64_t secs;

	*a = (struct hd_anchor){ 0 };
	if ((size_t)(end - p) < strlen(WORD) || memcmp(p, WORD, strlen(WORD)))
		return false;
	p += strlen(WORD);
	if (!take_word(&p, end, hex, a->origin, sizeof(a->origin)) || !take_word(&p, end, "0123456789", seq, sizeof(seq)) ||
	    !take_word(&p, end, hex, a->hash, sizeof(a->hash)) ||
	    !take_word(&p, end, "0123456789-:TZ", a->signed_utc, sizeof(a->signed_utc)) ||
	    !take_word(&p, end, hex, a->key_id, sizeof(a->key_id)) || !take_word(&p, end, hex, a->mac, sizeof(a->mac)) || p != end)
		return false;
	a->seq = strtoll(seq, NULL, 10);	/* 19 digits at most, so that it ends at INT64_MAX */
	return a->seq > 0 && strlen(a->hash) == HD_SHA256_HEX - 1 && strlen(a->key_id) == HD_KEY_ID - 1 &&
	       strlen(a->mac) == HD_SHA256_HEX - 1 && !hd_utc_parse(a->signed_utc, &secs);
}

int hd_anchors_parse(struct hd_anchors *list, const char *text, size_t len, const char *path, struct hd_err *err)
{
	const char *end = text + len;
	size_t line = 1;

	for (const char *p = text; p < end; line++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p)), *next = stop ? stop + 1 : end;

		stop = stop ? stop : end;
		if (stop > p && stop[-1] == '\r')
			stop--;
		if (stop > p && *p != '#') {
			HD_GROW(list->items, list->n + 1, list->cap);
			if (!parse_line(&list->items[list->n], p, stop))
				return hd_fail(err, HD_EFORMAT, "%s: line %zu is no anchor: '%s ORIGIN SEQ RUN_HASH TIME KEY_ID MAC' is wanted", path, line,
					       "hotdrift-anchor 1");
			list->n++;
		}
		p = next;
	}
	return 0;
}

int hd_anchors_read(struct hd_anchors *list, const char *path, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd, rc;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	fd = hd_file_open(path, err);
	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_ANCHORS_FILE, &text, err);
	if (rc >= 0)
		rc = hd_anchors_parse(list, hd_buf_str(&text), text.len, path, err);
	hd_buf_release(&text);
	close(fd);
	return rc;
}

void hd_anchors_release(struct hd_anchors *list)
{
	free(list->items);
	*list = (struct hd_anchors){ 0 };
}
