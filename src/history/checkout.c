/*
 * checkout.c - see checkout.h
 */
#include "history/checkout.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/mem.h"
#include "history/git_command.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hd_checkout_holds(const char *dir, size_t n, const char *name)
{
	struct hd_buf path = { 0 };
	struct stat st;
	bool is;

	hd_buf_add(&path, dir, n);
	hd_buf_addf(&path, "/%s", name);
	is = lstat(path.data, &st) == 0;
	hd_buf_release(&path);
	return is;
}

size_t hd_checkout_root(const char *from)
{
	size_t root = strlen(from);

	while (!hd_checkout_holds(from, root, ".git")) {
		while (root && from[root - 1] != '/')
			root--;
		if (!root)
			return strlen(from);
		root--;
	}
	return root;
}

/* ---- names of folders */

/* Return true if the entry `name` of n bytes names `dir`. */
static bool names(const char *name, size_t n, const char *dir)
{
	char *path, real[PATH_MAX];
	bool below, is;
	size_t len;

	if (n == 1 && *name == '*')
		return true;
	below = n >= 2 && !memcmp(name + n - 2, "/*", 2);
	path = hd_strndup(name, below ? n - 2 : n);
	is = *path == '/' || below ? realpath(*path ? path : "/", real) != NULL : false;
	free(path);
	if (!is)
		return false;
	len = strlen(real);
	if (!below)
		return !strcmp(real, dir);
	return len == 1 || (!strncmp(real, dir, len) && dir[len] == '/');
}

bool hd_checkout_trusted(const char *dir)
{
	const char *at = getenv("HOTDRIFT_TRUST");

	while (at && *at) {
		size_t n = strcspn(at, ":");

		if (names(at, n, dir))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

/* Return true if safe.directory of git's system or global configuration names `dir` or `root`. */
static bool is_safe(const char *dir, const char *root)
{
	static const char *const words[] = { "config", "-z", "--path", "--get-all", "safe.directory", NULL };
	struct hd_git_command a;
	bool safe = false;

	hd_git_command(&a, "/", words, &(struct hd_git_command_opts){ .no_repository = true });
	for (const char *at = a.out.data, *end = at + a.out.len, *nul; a.status == 0 && at < end; at = nul + 1) {
		nul = memchr(at, '\0', (size_t)(end - at));
		if (!nul)
			break;
		safe = nul > at && (safe || names(at, (size_t)(nul - at), dir) || names(at, (size_t)(nul - at), root));
	}
	hd_git_command_release(&a);
	return safe;
}

static bool is_named(const char *dir)
{
	char real[PATH_MAX], root[PATH_MAX];
	size_t n;

	if (!realpath(dir, real))
		return false;
	n = hd_checkout_root(real);
	memcpy(root, real, n);
	strcpy(root + n, n ? "" : "/");
	return hd_checkout_trusted(real) || hd_checkout_trusted(root) || is_safe(real, root);
}

/* ---- owners */

static bool is_us(uid_t owner)
{
	const char *sudo = getenv("SUDO_UID");
	unsigned long uid;
	char *end;

	if (owner == geteuid())
		return true;
	if (geteuid() != 0 || !sudo || *sudo < '0' || *sudo > '9')
		return false;
	errno = 0;
	uid = strtoul(sudo, &end, 10);
	return !errno && !*end && uid == owner;
}

int hd_checkout_accept(const char *path, struct hd_err *err)
{
	struct hd_buf dir = { 0 }, shell = { 0 };
	struct stat link, file;
	const struct passwd *pw;
	int rc = 0;

	if (lstat(path, &link) < 0 || stat(path, &file) < 0)
		return hd_fail_errno(err, HD_EIO, errno, "%s", path);
	if (is_us(link.st_uid) && is_us(file.st_uid))
		return 0;
	hd_buf_add(&dir, path, (size_t)(strrchr(path, '/') - path));
	if (!dir.len)
		hd_buf_addc(&dir, '/');
	if (!is_named(dir.data)) {
		uid_t owner = is_us(link.st_uid) ? file.st_uid : link.st_uid;

		pw = getpwuid(owner);
		hd_enc_shell(&shell, dir.data);
		rc = hd_fail(err, HD_EFORMAT,
			"%s belongs to %s (uid %u), so it is not used; to trust this folder, type: "
			"git config --global --add safe.directory %s, or: export HOTDRIFT_TRUST=%s",
			path, pw ? pw->pw_name : "an unknown user", (unsigned)owner, shell.data, shell.data);
	}
	hd_buf_release(&dir);
	hd_buf_release(&shell);
	return rc;
}
