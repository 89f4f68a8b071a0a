/*
 * checkout_owner.c - see checkout_owner.h
 */
#include "history/checkout_owner.h"

#include "base/encode.h"
#include "base/mem.h"
#include "history/checkout.h"
#include "history/git_command.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		safe = nul > at && (safe || hd_checkout_names(at, (size_t)(nul - at), dir) ||
				hd_checkout_names(at, (size_t)(nul - at), root));
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

/* ---- owners ---- */

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
