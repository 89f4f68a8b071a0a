/*
 * local_object.c - helpers of the loaders: see local_object.h
 */
#include "symbols/local_object.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdlib.h>

void hd_local_set_problem(struct hd_local_object *o, const char *fmt, ...)
{
	struct hd_buf text = { 0 };
	va_list ap;

	if (o->problem)
		return;
	va_start(ap, fmt);
	hd_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	o->problem = hd_buf_take(&text);
}

void hd_local_set_origin(struct hd_local_object *o, const struct hd_file_ref *p, const char *note)
{
	char *text = p->path ? hd_file_ref_text(p) : hd_strdup(o->path);
	struct hd_buf whole = { 0 };

	hd_buf_addf(&whole, "%s%s", text, note);
	free(text);
	free(o->origin);
	o->origin = hd_buf_take(&whole);
}

void hd_local_warn_damage(struct hd_local_object *o, const struct hd_elf *e)
{
	if (!e->ndamage)
		return;
	o->warned = true;
	hd_warn(o->ls->log, "symbols.damaged", "rebuild or reinstall it", "%s: damaged: %s%s", e->path, e->damage,
		e->ndamage > 1 ? "; and more" : "");
}

bool hd_local_has_build_id(const struct hd_local_object *o)
{
	for (size_t i = 0; i < o->key.build_id_len; i++)
		if (o->key.build_id[i])
			return true;
	return false;
}

bool hd_local_is_build(const struct hd_local_object *o, const struct hd_elf *e)
{
	return !hd_local_has_build_id(o) ||
		hd_build_id_equal(o->key.build_id, o->key.build_id_len, e->build_id, e->build_id_len);
}

struct hd_debugfile_query hd_local_debugfile_query(const struct hd_local_object *o)
{
	return (struct hd_debugfile_query){
		.path = o->path, .symfs = o->ls->opts.symfs, .cache = o->ls->cache, .build_id = o->key.build_id,
		.build_id_len = hd_local_has_build_id(o) ? o->key.build_id_len : 0, .code = &o->files.code,
		.log = o->ls->log,
	};
}
