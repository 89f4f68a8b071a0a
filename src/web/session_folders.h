/*
 * session_folders.h - results folders of one session as one page: `hotdrift html FOLDER...`
 *
 * A folder is what profile.sh writes: run.json, the recording, tables, CSV files.  What run.json
 * says is foreign text; the recording is read once more, as its mode is read, and a folder that
 * cannot be read costs its own panel.
 */
#ifndef HD_WEB_SESSION_FOLDERS_H
#define HD_WEB_SESSION_FOLDERS_H

#include "base/json.h"
#include "base/log.h"
#include "base/string_list.h"
#include "web/session_page.h"

#include <stdbool.h>

/*
 * Read the recording at `path` as its mode requires.  `event` is that of run.json, or NULL.  Stacks are grouped by the
 * sample fields `fields`; with fields, kernel frames are dropped.  The caller frees *p; it is NULL after an error.
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

/* A regular file is there: what a folder or its run.json names may be a FIFO, a device, or another machine. */
bool hd_session_folders_is_file(const char *path);

/* A text of run.json; NULL: it says none. */
const char *hd_session_folders_run_text(const struct hd_json *run, const char *key);

/* The parts of one mode, which hd_session_page_mode has begun.  recording: its path. */
int hd_session_panel_recording(struct hd_session_page *s, const char *mode, const struct hd_json *run,
	const char *recording, hd_session_reader *read, struct hd_err *err);
/* Its CSV files. */
void hd_session_panel_series(struct hd_session_page *s, const char *folder);

#endif
