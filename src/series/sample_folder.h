/*
 * sample_folder.h - read the folder that `hotdrift sample` wrote, for `add --samples`
 *
 * sample.json has the command, its start, its exit status, and a list of its files.  Files that are not in this list
 * are from an earlier run and are not read.  render/sample_report.h describes the format.
 */
#ifndef HD_SERIES_SAMPLE_FOLDER_H
#define HD_SERIES_SAMPLE_FOLDER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_sample_folder {
	const char *status;		/* "ok", "failed", "interrupted" */
	int exit_status;		/* 128 + N of signal N; -1: unknown */
	int64_t started_s;		/* start of the command, in seconds since 1970 */
	char *command;			/* NULL: unknown */
	bool is_here;			/* this machine ran the command, and has not been rebooted since */
	char *power, *gpu, *memory;	/* paths; NULL: none */
};

/*
 * Read sample.json of the folder `dir`.  Returns HD_EIO if it cannot be read, HD_EFORMAT if it is damaged or names
 * none of the three files.
 */
int hd_sample_folder_read(struct hd_sample_folder *out, const char *dir, struct hd_err *err);
/* Parse the text of a sample.json.  path: its path, for messages. */
int hd_sample_folder_parse(struct hd_sample_folder *out, const char *text, size_t n, const char *dir, const char *path,
		     struct hd_err *err);
void hd_sample_folder_release(struct hd_sample_folder *s);

/* Set `out` to the boot id of the kernel (/proc/sys/kernel/random/boot_id), or to "" if it is unknown. */
enum { HD_BOOT_ID = 64 };
void hd_boot_id(char out[HD_BOOT_ID]);

#endif
