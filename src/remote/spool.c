/*
 * spool.c - see spool.h
 */
#include "remote/spool.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/utc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".request";

static void join(struct hd_buf *path, const char *folder, const char *name)
{
	hd_buf_reset(path);
	hd_buf_addf(path, "%s/%s", folder, name);
}

static bool is_entry(const char *name)
{
	size_t n = strlen(name);

	return *name != '.' && n > sizeof(suffix) && !strcmp(name + n - (sizeof(suffix) - 1), suffix);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int hd_spool_list(char ***names, size_t *n, const char *folder, struct hd_err *err)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	size_t cap = 0;

	*names = NULL;
	*n = 0;
	if (!dir)
		return errno == ENOENT ? 0 : hd_fail_errno(err, HD_EIO, errno, "%s: the spool cannot be read", folder);
	while ((d = readdir(dir)))
		if (is_entry(d->d_name)) {
			HD_GROW(*names, *n + 1, cap);
			(*names)[(*n)++] = hd_strdup(d->d_name);
		}
	closedir(dir);
	if (*n)
		qsort(*names, *n, sizeof(**names), by_name);
	return 0;
}

void hd_spool_free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

void hd_spool_remove(const char *folder, const char *name)
{
	struct hd_buf path = { 0 };

	join(&path, folder, name);
	unlink(path.data);
	hd_buf_release(&path);
}

/* Drop the oldest entries until a new entry of `bytes` bytes fits into HD_SPOOL_BYTES and HD_SPOOL_ENTRIES. */
static int make_room(const char *folder, uint64_t bytes, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	struct stat st;
	uint64_t *sizes, sum = bytes;
	char **names;
	size_t n, dropped = 0;
	int rc = hd_spool_list(&names, &n, folder, err);

	if (rc < 0)
		return rc;
	sizes = hd_new_array(uint64_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		join(&path, folder, names[i]);
		sizes[i] = lstat(path.data, &st) == 0 ? (uint64_t)st.st_size : 0;
		sum += sizes[i];
	}
	for (; dropped < n && (sum > HD_SPOOL_BYTES || n - dropped >= HD_SPOOL_ENTRIES); dropped++) {
		hd_spool_remove(folder, names[dropped]);
		sum -= sizes[dropped];
	}
	if (dropped)
		hd_warn_n(log, "lost.spool", dropped, "push while the server can be reached",
			"%s: the spool is full (64 MiB or 1000 profiles): the oldest were dropped", folder);
	free(sizes);
	hd_buf_release(&path);
	hd_spool_free_names(names, n);
	return 0;
}

int hd_spool_add(const char *folder, const struct hd_spool_entry *e, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 }, text = { 0 };
	struct hd_outfile out;
	char sum[HD_SHA256_HEX], utc[HD_UTC_TEXT];
	int rc;

	hd_buf_addf(&text, "%s\n%s\n", e->url.data, e->content_type.data);
	hd_buf_add(&text, e->body.data, e->body.len);
	if (text.len > HD_SPOOL_BYTES)
		rc = hd_fail(err, HD_EIO, "%s: a profile of more than 64 MiB is not spooled", folder);
	else if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: the spool cannot be made", folder);
	else
		rc = make_room(folder, text.len, log, err);
	if (rc >= 0) {
		hd_utc_text(hd_utc_now(), utc);
		hd_sha256_hex(text.data, text.len, sum);
		hd_buf_addf(&path, "%s/%s-%.16s%s", folder, utc, sum, suffix);
		rc = hd_outfile_open_private(&out, path.data, err);
	}
	if (rc >= 0) {
		hd_outfile_add(&out, text.data, text.len);
		rc = hd_outfile_commit(&out, err);
		hd_outfile_discard(&out);
	}
	hd_buf_release(&path);
	hd_buf_release(&text);
	return rc;
}

/*
 * Append the next line of *text to `line` and advance *text.  Returns false if there is no line end or if the line
 * contains a NUL.
 */
static bool take_line(struct hd_buf *line, const char **text, const char *end)
{
	const char *stop = memchr(*text, '\n', (size_t)(end - *text));

	if (!stop)
		return false;
	hd_buf_add(line, *text, (size_t)(stop - *text));
	*text = stop + 1;
	return !memchr(line->data, '\0', line->len);
}

int hd_spool_read(struct hd_spool_entry *e, const char *folder, const char *name, struct hd_err *err)
{
	struct hd_buf path = { 0 }, text = { 0 };
	const char *at;
	struct stat st;
	int fd, rc = 0;

	*e = (struct hd_spool_entry){ 0 };
	join(&path, folder, name);
	fd = open(path.data, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	/* Ignore files of other users, because they could contain any profile and any labels. */
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		rc = hd_file_slurp(fd, path.data, HD_SPOOL_BYTES, &text, err);
		at = hd_buf_str(&text);
		if (rc >= 0)
			rc = take_line(&e->url, &at, hd_buf_str(&text) + text.len) &&
				take_line(&e->content_type, &at, hd_buf_str(&text) + text.len);
		if (rc > 0)
			hd_buf_add(&e->body, at, (size_t)(hd_buf_str(&text) + text.len - at));
	}
	if (fd >= 0)
		close(fd);
	if (rc <= 0)
		hd_spool_entry_release(e);
	hd_buf_release(&path);
	hd_buf_release(&text);
	return rc;
}

void hd_spool_entry_release(struct hd_spool_entry *e)
{
	hd_buf_release(&e->url);
	hd_buf_release(&e->content_type);
	hd_buf_release(&e->body);
}
