/*
 * spool.h - profiles that a server did not take yet, kept in a folder until the next push
 *
 * An entry is one file, NAME.request: a line with the URL, a line with the content type, and the body.  Names begin
 * with the time (UTC, in seconds), so their order is that of the pushes, except within one second.  Files have mode
 * 0600 and are written atomically.  A file that vanishes between hd_spool_list() and hd_spool_read() was sent or
 * dropped by another process.  The token is not stored.  If a new entry would exceed the limits of the folder (64 MiB,
 * 1000 entries), the oldest entries are dropped.
 */
#ifndef HD_REMOTE_SPOOL_H
#define HD_REMOTE_SPOOL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"

enum { HD_SPOOL_BYTES = 64 << 20, HD_SPOOL_ENTRIES = 1000 };

struct hd_spool_entry {
	struct hd_buf url, content_type, body;
};

/*
 * Add an entry.  The folder is created with mode 0700.  Warns (lost.spool) if older entries are dropped.  HD_EIO if the
 * entry cannot be written, or alone exceeds HD_SPOOL_BYTES.
 */
int hd_spool_add(const char *folder, const struct hd_spool_entry *e, struct hd_log *log, struct hd_err *err);
/* List the names of the entries, oldest first; none if there is no folder.  hd_spool_free_names() frees them. */
int hd_spool_list(char ***names, size_t *n, const char *folder, struct hd_err *err);
/*
 * Read an entry.  Returns 1; 0 if it cannot be opened, belongs to another user or is not an entry; HD_EIO if reading
 * fails; HD_EFORMAT if it exceeds HD_SPOOL_BYTES.  The caller releases *e.
 */
int hd_spool_read(struct hd_spool_entry *e, const char *folder, const char *name, struct hd_err *err);
void hd_spool_remove(const char *folder, const char *name);
void hd_spool_entry_release(struct hd_spool_entry *e);
void hd_spool_free_names(char **names, size_t n);

#endif
