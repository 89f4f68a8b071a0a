/*
 * perfmap.c - see perfmap.h
 */
#include "symbols/perfmap.h"

#include "base/buf.h"
#include "base/file.h"
#include "symbols/kallsyms.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERFMAP_MAX (1ull << 30)

static void skip_0x(const char **p, const char *end)
{
	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 32) == 'x')
		*p += 2;
}

/* On success *name is where the name starts. */
static bool parse_line(const char *p, const char *end, struct hd_symraw *raw, const char **name)
{
	skip_0x(&p, end);
	if (!hd_scan_hex(&p, end, &raw->start) || p == end || *p++ != ' ')
		return false;
	skip_0x(&p, end);
	if (!hd_scan_hex(&p, end, &raw->size) || end - p < 2 || *p++ != ' ')
		return false;
	*name = p;
	return raw->start + raw->size >= raw->start;
}

void hd_perfmap_parse(struct hd_symtable *t, const char *text, size_t n, struct hd_perfmap_found *found)
{
	uint32_t base;
	char *copy = hd_symtable_names(t, n, &base), *p = copy, *end = copy + n;

	*found = (struct hd_perfmap_found){ 0 };
	if (copy)
		memcpy(copy, text, n);
	while (copy && p < end) {
		struct hd_symraw raw = { .flags = HD_SYM_GLOBAL };
		char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *name;

		if (!eol)
			eol = end;
		if (parse_line(p, eol, &raw, &name) && !memchr(p, '\0', (size_t)(eol - p))) {
			found->lines++;
			raw.name = base + (uint32_t)(name - copy);
			hd_symtable_add(t, &raw);
		} else if (eol != p) {
			found->damaged++;
		}
		*eol = '\0';		/* ends the name; the byte behind the text is one already */
		p = eol + 1;
	}
	hd_symtable_build(t, HD_SYM_LATEST);
}

/* The user of a process that still runs. */
static bool owner_of_process(int32_t pid, uid_t *uid)
{
	char dir[40];
	struct stat st;

	snprintf(dir, sizeof(dir), "/proc/%d", (int)pid);
	if (pid <= 0 || stat(dir, &st) < 0)
		return false;
	*uid = st.st_uid;
	return true;
}

/* The descriptor is of the file at the end of the path, and not of what a link there points to. */
static bool is_no_link(const char *root, const char *path, const struct stat *opened)
{
	struct hd_buf whole = { 0 };
	struct stat st;
	bool same;

	hd_buf_addf(&whole, "%s%s%s", root ? root : "", root && *root && *path != '/' ? "/" : "", path);
	same = !lstat(whole.data, &st) && S_ISREG(st.st_mode) && st.st_dev == opened->st_dev && st.st_ino == opened->st_ino;
	hd_buf_release(&whole);
	return same;
}

int hd_perfmap_open(const char *root, const char *path, int32_t pid, bool same_machine, struct hd_err *err)
{
	int fd = hd_file_open_untrusted(root, path, PERFMAP_MAX, err);
	struct stat st;
	uid_t user;
	int rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		rc = hd_fail(err, HD_EIO, "%s: cannot tell its owner", path);
	else if (!is_no_link(root, path, &st))
		rc = hd_fail(err, HD_EFORMAT, "%s: is a link", path);
	else if (st.st_mode & S_IWOTH)
		rc = hd_fail(err, HD_EFORMAT, "%s: everybody may write to it", path);
	else if (st.st_uid != 0 && st.st_uid != geteuid() &&
		 !(same_machine && owner_of_process(pid, &user) && user == st.st_uid))
		rc = hd_fail(err, HD_EFORMAT, "%s: belongs to user %u, neither to root nor to us", path, (unsigned)st.st_uid);
	else
		return fd;
	close(fd);
	return rc;
}
