/*
 * code_file.c - the code of an object whose symbols nobody asked for
 *
 * The search is the one of binary.c and vdso.c, made for an object that is not
 * kept: what it would have warned of goes to a log that nobody reads, and
 * will be said when symbols are asked for.  Trouble is the answer: then there may be
 * none.
 */
#include "symbols/code_file.h"

#include "symbols/bundle_record.h"

#include <stdlib.h>

int hd_symbols_open_code(const struct hd_symbols *sy, const struct hd_symbols_key *key, struct hd_err *err)
{
	struct hd_log unread = { 0 };
	struct hd_symbols own = { .opts = sy->opts, .log = &unread, .cache = sy->cache }; /* the rest may be changing */
	struct hd_symobj o = { .sy = &own, .key = *key, .path = (char *)key->path };
	const struct hd_warning *trouble;
	struct hd_elf *e = NULL;
	int fd;

	if (sy->opts.given)
		return hd_bundle_replay_open_code(sy->opts.given, key, err);
	if (o.key.build_id_len > sizeof(o.id))
		o.key.build_id_len = 0;
	if (key->kind == HD_SYM_FILE)
		e = hd_binary_open_code(&o);
	else if (key->kind == HD_SYM_VDSO)
		e = hd_vdso_open_code(&o);
	if (e)
		fd = hd_object_open(&o, err);
	else
		fd = hd_fail(err, HD_EFORMAT, "%s: %s", key->path,
			o.problem ? o.problem : "there is no file with its code");
	trouble = hd_log_find(&unread, "symbols.unreadable");
	if (fd < 0 && trouble)
		fd = hd_fail(err, HD_EIO, "%s", trouble->text);
	if (fd >= 0 && sy->opts.remember)
		hd_bundle_record_add_code(sy->opts.remember, key, fd);
	hd_elf_close(e);
	hd_file_ref_release(&o.runtime);
	free(o.image);
	free(o.problem);
	hd_log_release(&unread);
	return fd;
}
