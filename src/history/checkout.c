/*
 * checkout.c - see checkout.h
 */
#include "history/checkout.h"

#include "base/buf.h"
#include "base/mem.h"

#include <limits.h>
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

/* ---- names of folders ---- */

bool hd_checkout_names(const char *name, size_t n, const char *dir)
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

		if (hd_checkout_names(at, n, dir))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}
