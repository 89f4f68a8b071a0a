/*
 * session_folders.h - write the results folders of one session as one page: `hotdrift html FOLDER...`
 *
 * profile.sh writes the folders: run.json, the recording, tables, CSV files.  run.json is untrusted input.  The
 * recording is read again, as its mode requires.  If one of these files cannot be read, only the panel of its folder is
 * affected; a path that is not a folder is an error.
 */
#ifndef HD_WEB_SESSION_FOLDERS_H
#define HD_WEB_SESSION_FOLDERS_H

#include "base/json.h"
#include "base/log.h"
#include "base/string_list.h"
#include "web/session_page.h"

#include <stdbool.h>

/*
 * Read the recording at `path` with the sample selection of its mode (cpu, memory, async, ...).  `event` is the event
 * named in run.json, or NULL.  The rows of the profile are grouped by the sample fields `fields`.  The caller frees *p;
 * *p is NULL after an error.
 */
typedef int hd_session_reader(struct hd_profile **p, const char *path, const char *mode, const char *event,
	const struct hd_string_list *fields, struct hd_log *log, struct hd_err *err);

struct hd_session_folders_opts {
	hd_session_reader *read;
	const char *title, *session, *out;
	struct hd_string_list failed;		/* MODE=WHY: modes without a folder */
};

int hd_session_folders_write(char *const *folders, int n, const struct hd_session_folders_opts *o, struct hd_log *log,
	struct hd_err *err);

/*
 * Return true if `path` is a regular file.  Call this before opening a path that is in a results folder or named in
 * run.json, because it could be a FIFO, a device or a remote file.
 */
bool hd_session_folders_is_file(const char *path);

/* Return a string member of run.json, or NULL if it does not exist or is not a string. */
const char *hd_session_folders_run_text(const struct hd_json *run, const char *key);

/* Add the pictures and tables of a recording to the panel of the mode that hd_session_page_mode() began. */
int hd_session_panel_recording(struct hd_session_page *s, const char *mode, const struct hd_json *run,
	const char *recording, hd_session_reader *read, struct hd_err *err);
/* Add the CSV files of a folder to the panel of the current mode. */
void hd_session_panel_series(struct hd_session_page *s, const char *folder);

#endif
