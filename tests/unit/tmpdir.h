/*
 * tmpdir.h - make a temporary folder with files, and run functions in a child process
 *
 *     char *dir = tmpdir();
 *     put_file(dir, "name", "text", 4);
 *     ...
 *     tmpdir_remove(dir);
 */
#ifndef TESTS_UNIT_TMPDIR_H
#define TESTS_UNIT_TMPDIR_H

#include "test.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static inline char *tmpdir(void)
{
	const char *base = getenv("TMPDIR");
	struct hd_buf b = { 0 };

	hd_buf_addf(&b, "%s/hotdrift-unit.XXXXXX", base && *base ? base : "/tmp");
	EXPECT(mkdtemp(b.data) != NULL);
	EXPECT(chmod(b.data, 0755) == 0);	/* other users read files in it in some tests */
	return hd_buf_take(&b);
}

static inline int tmpdir_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void tmpdir_remove(char *dir)
{
	EXPECT_INT(nftw(dir, tmpdir_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(dir);
}

/* Return dir/name; the caller frees it. */
static inline char *in_dir(const char *dir, const char *name)
{
	struct hd_buf b = { 0 };

	hd_buf_addf(&b, "%s/%s", dir, name);
	return hd_buf_take(&b);
}

static inline char *put_file(const char *dir, const char *name, const void *data, size_t n)
{
	char *path = in_dir(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	EXPECT(fd >= 0);
	EXPECT(n == 0 || write(fd, data, n) == (ssize_t)n);
	EXPECT(close(fd) == 0);
	return path;
}

/* Write the file root + path, where the path begins with /.  Creates its folders below root. */
static inline void put_rooted(const char *root, const char *path, const char *text)
{
	char *full = in_dir(root, path + 1);

	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0755);
		*s = '/';
	}
	free(put_file(root, path + 1, text, strlen(text)));
	free(full);
}

/* Return the contents of the file; the caller frees them.  The test fails if the file cannot be read. */
static inline char *text_of_file(const char *path)
{
	struct hd_buf b = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	EXPECT(fd >= 0);
	while ((got = read(fd, hd_buf_reserve(&b, 4096), 4096)) > 0) {
		b.len += (size_t)got;
		b.data[b.len] = '\0';
	}
	EXPECT(got == 0);
	close(fd);
	return hd_buf_take(&b);
}

static inline void expect_file(const char *path, const char *text)
{
	char *got = text_of_file(path);

	EXPECT_STR(got, text);
	free(got);
}

static inline size_t entries(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	EXPECT(d != NULL);
	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

/* Run fn in a child process; return its result (0 to 254), or 255 if a signal ended the child. */
static inline int in_child(int (*fn)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	EXPECT(pid >= 0);
	if (pid == 0)
		_exit(fn(arg));
	EXPECT(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

enum { NOBODY = 65534 };

/* Give up root privileges; to be called in a child process.  Returns false if that failed. */
static inline bool drop_rights(void)
{
	return geteuid() != 0 || (setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

#endif
