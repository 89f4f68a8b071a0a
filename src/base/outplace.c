/*
 * outplace.c - locate an output, one component of its path after another, so that every link is checked: see file.h
 */
#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct walk {
	int dir;		/* folder of the components so far */
	char *text;		/* owned; the remaining components start at `at` */
	const char *at;
	unsigned hops;		/* number of links followed */
};

static int enter(struct walk *w, const char *name, int flags)
{
	int dir = openat(w->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (dir < 0)
		return -1;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = dir;
	return 0;
}

/*
 * Return true if the folder is sticky and world-writable (/tmp), and the link belongs neither to this user nor to the
 * owner of the folder.  Any user can put a link there, and its target would be replaced with our rights.
 */
static bool is_strangers(const struct stat *folder, const struct stat *link)
{
	const mode_t sticky = S_ISVTX | S_IWOTH;

	return (folder->st_mode & sticky) == sticky && link->st_uid != geteuid() && link->st_uid != folder->st_uid;
}

/* Continue the walk with the path `text`, absolute or relative to w->dir.  Takes ownership of `text`. */
static int walk_on(struct walk *w, char *text)
{
	free(w->text);
	w->text = text;
	w->at = text;
	return *text == '/' ? enter(w, "/", 0) : 0;
}

/* Insert the target of the link `name` before the rest of the path. */
static int follow(struct walk *w, const char *name, const struct stat *link, const char *path, struct hd_err *err)
{
	enum { KERNEL_LIMIT = 40 };
	struct hd_buf text = { 0 };
	struct stat folder;
	char target[4096];
	ssize_t n;

	if (fstat(w->dir, &folder) < 0 || (n = readlinkat(w->dir, name, target, sizeof(target))) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot write", path);
	if (is_strangers(&folder, link))
		return hd_fail(err, HD_EIO,
			"%s: is not written: '%s' in it is a link of another user (uid %u) in a sticky folder that "
			"everybody can write; remove the link or name another file",
			path, name, (unsigned)link->st_uid);
	if (++w->hops > KERNEL_LIMIT || (size_t)n >= sizeof(target))
		return hd_fail_errno(err, HD_EIO, ELOOP, "%s: cannot write", path);
	hd_buf_add(&text, target, (size_t)n);
	hd_buf_adds(&text, w->at);
	return walk_on(w, hd_buf_take(&text)) < 0 ? hd_fail_errno(err, HD_EIO, errno, "%s: cannot write", path) : 0;
}

int hd_outplace_find(struct hd_outplace *place, const char *path, struct hd_err *err)
{
	struct stat *st = &place->st;
	struct walk w = { .dir = AT_FDCWD };
	char name[256] = "";
	int rc = 0;

	*place = (struct hd_outplace){ .dir = -1 };
	if (enter(&w, ".", 0) < 0 || walk_on(&w, hd_strdup(path)) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot write", path);
	while (rc == 0) {
		size_t n;

		w.at += strspn(w.at, "/");
		n = strcspn(w.at, "/");
		if (!n) {
			rc = hd_fail(err, HD_EIO, "%s: is a directory", path);
			break;
		}
		errno = ENAMETOOLONG;
		if (n < sizeof(name)) {
			memcpy(name, w.at, n);
			name[n] = '\0';
			w.at += n;
			rc = fstatat(w.dir, name, st, AT_SYMLINK_NOFOLLOW);
		}
		if (n < sizeof(name) && rc < 0 && errno == ENOENT && !*w.at) {
			rc = 0;
			break;
		}
		if (n >= sizeof(name) || rc < 0)
			rc = hd_fail_errno(err, HD_EIO, errno,
				errno == ENOENT ? "%s: cannot create it" : "%s: cannot write", path);
		else if (S_ISLNK(st->st_mode))
			rc = follow(&w, name, st, path, err);
		else if (!*w.at)
			rc = 1;
		else if (enter(&w, name, O_NOFOLLOW) < 0)
			rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot write", path);
	}
	free(w.text);
	if (rc < 0) {
		if (w.dir >= 0)
			close(w.dir);
		return rc;
	}
	place->dir = w.dir;
	place->name = hd_strdup(name);
	return rc;
}

void hd_outplace_release(struct hd_outplace *place)
{
	if (place->name)
		close(place->dir);
	free(place->name);
	*place = (struct hd_outplace){ .dir = -1 };
}

int hd_outfolder_make(const char *path, bool *made, struct hd_err *err)
{
	struct hd_outplace place;
	size_t n = strlen(path);
	char *bare;
	int rc;

	*made = false;
	while (n > 0 && path[n - 1] == '/')
		n--;
	if (!n && *path)
		return 0;	/* the path is "/" */
	bare = hd_strndup(path, n);
	rc = hd_outplace_find(&place, bare, err);
	if (rc == 0 && mkdirat(place.dir, place.name, 0777) == 0)
		*made = true;
	else if (rc == 0 && errno != EEXIST)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot create the folder", path);
	else if (rc > 0)
		rc = S_ISDIR(place.st.st_mode) ? 0 : hd_fail(err, HD_EIO, "%s: is not a folder", path);
	hd_outplace_release(&place);
	free(bare);
	return rc;
}
