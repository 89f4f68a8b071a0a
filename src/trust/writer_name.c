/*
 * writer_name.c - see writer_name.h
 */
#include "trust/writer_name.h"

#include "base/buf.h"
#include "base/encode.h"
#include "db/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 256 };

char *hd_writer_name(const struct hd_db *db)
{
	const char *given = getenv("HOTDRIFT_ORIGIN");
	char name[NAME_BYTES + 1] = "";
	struct hd_buf visible = { 0 };

	if (!hd_db_has_writers(db))
		return NULL;
	if (given && *given)
		snprintf(name, sizeof(name), "%s", given);
	else if (gethostname(name, NAME_BYTES) < 0 || !*name)
		snprintf(name, sizeof(name), "localhost");
	hd_enc_visible(&visible, name, strlen(name));
	return hd_buf_take(&visible);
}
