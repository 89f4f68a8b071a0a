/*
 * sysfs.c - see sysfs.h
 */
#include "track/sysfs.h"

#include "track/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hd_sysfs_join(char out[HD_SYSFS_PATH], const char *dir, const char *file)
{
	int n = snprintf(out, HD_SYSFS_PATH, "%s/%s", dir, file);

	return n > 0 && n < HD_SYSFS_PATH;
}

static enum hd_power_state failed(const char *path, int code, char why[HD_POWER_WHY])
{
	errno = code;
	snprintf(why, HD_POWER_WHY, "%.180s: %m", path);
	if (code == EACCES || code == EPERM)
		return HD_POWER_DENIED;
	return code == ENOENT || code == ENOTDIR || code == ENODEV ? HD_POWER_ABSENT : HD_POWER_BROKEN;
}

void hd_sysfs_printable(char *s)
{
	for (; *s; s++)
		*s = *s < ' ' || *s > '~' ? '?' : *s;
}

/* Keep the first line of the text, without blanks around it, and make it printable. */
static void clean(char *s)
{
	size_t n = strcspn(s, "\n"), from = strspn(s, " \t");

	while (n > from && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		n--;
	n = n > from ? n - from : 0;
	memmove(s, s + from, n);
	s[n] = '\0';
	hd_sysfs_printable(s);
}

enum hd_power_state hd_sysfs_text(const char *dir, const char *file, char out[HD_SYSFS_TEXT], char why[HD_POWER_WHY])
{
	char path[HD_SYSFS_PATH];
	ssize_t got;
	int fd, code;

	if (!hd_sysfs_join(path, dir, file))
		return failed(path, ENAMETOOLONG, why);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return failed(path, errno, why);
	do
		got = read(fd, out, HD_SYSFS_TEXT - 1);
	while (got < 0 && errno == EINTR);
	code = errno;
	close(fd);
	if (got < 0)
		return failed(path, code, why);
	out[got] = '\0';
	clean(out);
	return HD_POWER_USABLE;
}

enum hd_power_state hd_sysfs_number(const char *dir, const char *file, uint64_t *out, bool *negative,
				    char why[HD_POWER_WHY])
{
	char text[HD_SYSFS_TEXT];
	struct hd_number n;
	enum hd_power_state state = hd_sysfs_text(dir, file, text, why);

	if (state != HD_POWER_USABLE)
		return state;
	if (hd_number_read(text, strlen(text), &n) != HD_NUMBER || !n.is_whole || (n.negative && !negative)) {
		snprintf(why, HD_POWER_WHY, "%.120s/%.60s: '%.40s' is not a number", dir, file, text);
		return HD_POWER_BROKEN;
	}
	*out = n.whole;
	if (negative)
		*negative = n.negative;
	return HD_POWER_USABLE;
}

static int shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int hd_sysfs_list(struct hd_sysfs_list *out, const char *dir)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, shown, versionsort);

	*out = (struct hd_sysfs_list){ 0 };
	if (n < 0)
		return errno == ENOMEM ? HD_TRACK_NOMEM : HD_TRACK_OK;
	out->names = calloc((size_t)n + 1, sizeof(*out->names));
	for (int i = 0; i < n; i++) {
		char *name = out->names ? strdup(entries[i]->d_name) : NULL;

		if (name)
			out->names[out->n++] = name;
		free(entries[i]);
	}
	free(entries);
	if (out->n == (size_t)n && out->names)
		return HD_TRACK_OK;
	hd_sysfs_list_release(out);
	return HD_TRACK_NOMEM;
}

void hd_sysfs_list_release(struct hd_sysfs_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
	free(l->names);
	*l = (struct hd_sysfs_list){ 0 };
}
