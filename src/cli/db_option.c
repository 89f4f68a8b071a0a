/*
 * db_option.c - see db_option.h
 */
#include "cli/db_option.h"

#include "base/encode.h"
#include "base/file.h"
#include "cli/ini.h"
#include "trust/chain.h"
#include "history/checkout.h"
#include "db/schema.h"
#include "db/writers.h"
#include "history/checkout_owner.h"
#include "trust/journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct hd_opt hd_db_option_opts[] = {
	{ HD_OPT_STR, 0, "db", "PATH|URL",
		"an SQLite file or postgresql://... (default: $HOTDRIFT_DB, db of hotdrift.ini, or " HD_DB_DEFAULT
		" of the checkout)",
		offsetof(struct hd_db_option, db) },
	{ HD_OPT_UINT, 0, "busy-ms", "N", "milliseconds to wait for another writer (default 5000)",
		offsetof(struct hd_db_option, busy_ms) },
	{ 0 },
};

/*
 * Append `path`, which is relative to `folder` (n bytes).  If the folder `here` is `folder` or inside it, the result is
 * a short path relative to `here`, such as ../PATH.
 */
static void add_path(struct hd_buf *out, const char *here, const char *folder, size_t n, const char *path)
{
	if (*path == '/' || strstr(path, "://")) {
		hd_buf_adds(out, path);
		return;
	}
	if (strncmp(here, folder, n) || (here[n] && here[n] != '/' && n)) {
		hd_buf_add(out, folder, n);
		hd_buf_addc(out, '/');
	} else {
		for (const char *c = here + n; *c; c++)
			if (*c == '/' && c[1])
				hd_buf_adds(out, "../");
	}
	hd_buf_adds(out, path);
}

/*
 * Set *root to the length of the prefix of `here` that is the root of the checkout: the nearest folder with an entry
 * .git, or `here` itself if there is none.  The default database is in this root.  So if the root is above `here`, the
 * owner of its .git must be accepted (hd_checkout_accept()).
 */
static int root_of(size_t *root, const char *here, struct hd_err *err)
{
	struct hd_buf git = { 0 };
	int rc = 0;

	*root = hd_checkout_root(here);
	if (here[*root]) {
		hd_buf_add(&git, here, *root);
		hd_buf_adds(&git, "/.git");
		rc = hd_checkout_accept(git.data, err);
	}
	hd_buf_release(&git);
	return rc;
}

static int default_path(struct hd_buf *path, const char *here, struct hd_err *err)
{
	struct hd_buf file = { 0 };
	struct hd_log log = { 0 };
	struct hd_ini ini = { 0 };
	size_t root = 0;
	int rc;

	rc = hd_ini_locate(&file, here, err);
	if (rc < 0 && hd_ini_read(&ini, file.data, &log, NULL) >= 0 && !ini.db)
		/*
		 * The owner of hotdrift.ini is not trusted, so the file is not used.  That would be an error if the
		 * file named a database, but it does not.
		 */
		rc = 0;
	else if (rc > 0)
		rc = hd_ini_read(&ini, file.data, &log, err);
	if (rc >= 0 && ini.db)
		add_path(path, here, file.data, (size_t)(strrchr(file.data, '/') - file.data), ini.db);
	else if (rc >= 0 && (rc = root_of(&root, here, err)) >= 0)
		add_path(path, here, here, root, HD_DB_DEFAULT);
	hd_ini_release(&ini);
	hd_log_release(&log);
	hd_buf_release(&file);
	return rc;
}

int hd_db_option_path(struct hd_buf *path, const struct hd_db_option *arg, struct hd_err *err)
{
	const char *variable = getenv("HOTDRIFT_DB");
	char *here = NULL;
	int rc = 0;

	if (arg->db)
		hd_buf_adds(path, arg->db);
	else if (variable && *variable)
		hd_buf_adds(path, variable);
	else if ((here = getcwd(NULL, 0)))
		rc = default_path(path, here, err);
	else
		hd_buf_adds(path, HD_DB_DEFAULT);
	free(here);
	return rc;
}

/* Open the database without any check. */
static int connect_to(struct hd_db **out, const struct hd_db_option *arg, enum hd_db_mode mode, unsigned limit_ms,
	struct hd_err *err)
{
	struct hd_db_opts o = { .mode = mode, .busy_ms = arg->busy_ms, .limit_ms = limit_ms, .make_folder = !arg->db };
	struct hd_buf path = { 0 };
	int rc = hd_db_option_path(&path, arg, err);

	o.url = hd_buf_str(&path);
	if (rc >= 0)
		rc = hd_db_open(out, &o, err);
	hd_buf_release(&path);
	return rc < 0 ? rc : 0;
}

/* Close the database if rc is an error. */
static int close_unless(struct hd_db **db, int rc)
{
	if (rc >= 0)
		return 0;
	hd_db_close(*db);
	*db = NULL;
	return rc;
}

static int check_schema(struct hd_db *db, enum hd_db_mode mode, struct hd_err *err)
{
	return mode == HD_DB_WRITE ? hd_journal_apply_schema(db, err) : hd_schema_check(db, err);
}

int hd_db_option_open_unchecked(struct hd_db **out, const struct hd_db_option *arg, enum hd_db_mode mode,
	unsigned limit_ms, struct hd_err *err)
{
	int rc = connect_to(out, arg, mode, limit_ms, err);

	return rc < 0 ? rc : close_unless(out, check_schema(*out, mode, err));
}

int hd_db_option_open(struct hd_db **out, const struct hd_db_option *arg, enum hd_db_mode mode, unsigned limit_ms,
	struct hd_err *err)
{
	int rc = hd_db_option_open_unchecked(out, arg, mode, limit_ms, err);

	return rc < 0 ? rc : close_unless(out, hd_chain_count(*out, err));
}

int hd_db_option_open_to_add(struct hd_db **out, const struct hd_db_option *arg, struct hd_err *err)
{
	int rc = connect_to(out, arg, HD_DB_WRITE, 0, err);

	if (rc < 0 || hd_db_has_writers(*out))
		return rc;
	rc = check_schema(*out, HD_DB_WRITE, err);
	return close_unless(out, rc < 0 ? rc : hd_chain_count(*out, err));
}

int hd_db_option_resolve(struct hd_db_option *arg, char **storage, bool folder, struct hd_err *err)
{
	struct hd_buf path = { 0 }, full = { 0 };
	char *here = getcwd(NULL, 0);
	bool made;
	int rc = hd_db_option_path(&path, arg, err);

	if (rc >= 0) {
		if (hd_buf_str(&path)[0] != '/' && !strstr(hd_buf_str(&path), "://") && here)
			hd_buf_addf(&full, "%s/", here);
		hd_buf_add(&full, hd_buf_str(&path), path.len);
		*storage = hd_buf_take(&full);
		if (folder && !arg->db && !strstr(*storage, "://")) {
			char *slash = strrchr(*storage, '/');

			if (slash) {	/* a name alone remains if getcwd() failed */
				*slash = '\0';
				rc = hd_outfolder_make(*storage, &made, err);
				*slash = '/';
			}
		}
		arg->db = *storage;
	}
	hd_buf_release(&path);
	free(here);
	return rc;
}

void hd_db_option_repeat(struct hd_buf *line, const struct hd_db_option *arg)
{
	if (!arg->db)
		return;
	hd_buf_adds(line, " --db ");
	hd_enc_shell(line, arg->db);
}
