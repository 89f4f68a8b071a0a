/*
 * sysfs.h - read attributes of sysfs, or report why one cannot be read
 *
 * hd_sysfs_text() and hd_sysfs_number() open the file at each call, so that a file that vanished is noticed.  They
 * return HD_POWER_USABLE and the value, or another state with a sentence in `why`, which names the file.  They read at
 * most HD_SYSFS_TEXT - 1 bytes.
 */
#ifndef HD_TRACK_SYSFS_H
#define HD_TRACK_SYSFS_H

#include "track/power.h"

enum { HD_SYSFS_TEXT = 256, HD_SYSFS_PATH = 4096 };

/* Replace bytes that are not printable ASCII by '?'. */
void hd_sysfs_printable(char *s);

/* Read the first line of a file, without blanks around it, made printable. */
enum hd_power_state hd_sysfs_text(const char *dir, const char *file, char out[HD_SYSFS_TEXT], char why[HD_POWER_WHY]);
/* Read the magnitude of a whole number, and its sign.  If `negative` is NULL, a negative number is invalid. */
enum hd_power_state hd_sysfs_number(const char *dir, const char *file, uint64_t *out, bool *negative,
				    char why[HD_POWER_WHY]);

struct hd_sysfs_list {
	/* names of the entries of a folder; sorted, with numbers in them by value: power2 is before power10 */
	char **names;
	size_t n;
};

/*
 * List the entries of a folder, without those that begin with a dot.  The list is empty if the folder cannot be read.
 * Returns HD_TRACK_OK or HD_TRACK_NOMEM.
 */
int hd_sysfs_list(struct hd_sysfs_list *out, const char *dir);
void hd_sysfs_list_release(struct hd_sysfs_list *l);

/* Write DIR/FILE into `out`; return false if it does not fit. */
bool hd_sysfs_join(char out[HD_SYSFS_PATH], const char *dir, const char *file);

#endif
