/*
 * session.h - results folders of one session as one page: `hotdrift html FOLDER...`
 *
 * A folder is what profile.sh writes: run.json, the recording, tables, CSV files.  What run.json
 * says is foreign text; the recording is read once more, as its mode is read, and a folder that
 * cannot be read costs its own panel.
 */
#ifndef HD_CLI_SESSION_H
#define HD_CLI_SESSION_H

#include "base/json.h"
#include "base/log.h"
#include "base/words.h"
#include "output/session.h"

#include <stdbool.h>

struct session_opts {
	const char *title, *session, *out;
	struct hd_words failed;		/* MODE=WHY: modes without a folder */
};

int session_page(char *const *folders, int n, const struct session_opts *o, struct hd_log *log, struct hd_err *err);

/* A regular file is there: what a folder or its run.json names may be a FIFO, a device, or another machine. */
bool session_is_file(const char *path);

/* A text of run.json; NULL: it says none. */
const char *session_text(const struct hd_json *run, const char *key);

/* The parts of one mode, which hd_session_mode has begun.  recording: its path. */
int session_recording(struct hd_session *s, const char *mode, const struct hd_json *run, const char *recording, struct hd_err *err);
/* Its CSV files. */
void session_series(struct hd_session *s, const char *folder);

#endif
