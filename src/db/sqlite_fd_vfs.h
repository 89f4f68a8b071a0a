/*
 * sqlite_fd_vfs.h - let SQLite read one file through a descriptor, and nothing else
 *
 * SQLite reaches files through a VFS object.  This one serves the bytes of a single descriptor
 * with pread().  It refuses to open journals and temporary files, and it refuses every write.
 * Pages are read ahead in windows, because the readers scan whole tables.
 *
 * Not thread-safe: one thread uses the VFS and its connection.
 */
#ifndef HD_DB_SQLITE_FD_VFS_H
#define HD_DB_SQLITE_FD_VFS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

struct hd_sqlite_fd_vfs;

/* fd and path are borrowed until the VFS is freed.  Returns 0 or HD_EIO. */
int hd_sqlite_fd_vfs_new(struct hd_sqlite_fd_vfs **out, int fd, const char *path, struct hd_err *err);
/* The caller closes the connection before this call.  Accepts NULL. */
void hd_sqlite_fd_vfs_free(struct hd_sqlite_fd_vfs *v);
/* Return the size of the file at the time of hd_sqlite_fd_vfs_new(). */
uint64_t hd_sqlite_fd_vfs_bytes(const struct hd_sqlite_fd_vfs *v);
/*
 * Open a read-only connection to the file.  Returns a code of SQLite; as in sqlite3_open_v2(), *out may be set on
 * failure.
 */
int hd_sqlite_fd_vfs_open(struct hd_sqlite_fd_vfs *v, sqlite3 **out);

#endif
