/*
 * sample_folder.c - see sample_folder.h
 */
#include "series/sample_folder.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20 };

void hd_boot_id(char out[HD_BOOT_ID])
{
	int fd = hd_file_open("/proc/sys/kernel/random/boot_id", NULL);
	ssize_t n = fd >= 0 ? read(fd, out, HD_BOOT_ID - 1) : 0;

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

/* Return the member `key` if it is a string without NUL, else NULL. */
static const char *text_of(const struct hd_json *object, const char *key)
{
	const struct hd_json *v = hd_json_get(object, key);
	const char *s;
	size_t n;

	if (!v || hd_json_kind(v) != HD_JSON_STRING)
		return NULL;
	s = hd_json_string(v, &n);
	return strlen(s) == n ? s : NULL;
}

/* Return the member `key` if it is a whole number from 0 to max, else -1. */
static int64_t number_of(const struct hd_json *object, const char *key, int64_t max)
{
	const struct hd_json *v = hd_json_get(object, key);
	const char *s = v && hd_json_kind(v) == HD_JSON_NUMBER ? hd_json_number(v) : "";
	size_t digits = strspn(s, "0123456789");
	long long n;

	if (!digits || digits > 19 || s[digits])
		return -1;
	n = strtoll(s, NULL, 10);
	return n <= max ? n : -1;
}

static int take_files(struct hd_sample_folder *out, const struct hd_json *root, const char *dir, const char *path,
		      struct hd_err *err)
{
	const struct { const char *name; char **to; } known[] = {
		{ "power.csv", &out->power }, { "gpu.csv", &out->gpu }, { "memory.csv", &out->memory },
	};
	const struct hd_json *files = hd_json_get(root, "files");
	bool any = false;

	for (size_t i = 0; files && hd_json_kind(files) == HD_JSON_ARRAY && i < hd_json_count(files); i++) {
		const struct hd_json *v = hd_json_at(files, i);
		size_t n = 0;
		const char *name = hd_json_kind(v) == HD_JSON_STRING ? hd_json_string(v, &n) : "";

		for (size_t k = 0; k < HD_COUNT(known); k++) {
			struct hd_buf b = { 0 };

			if (n != strlen(known[k].name) || memcmp(name, known[k].name, n) != 0 || *known[k].to)
				continue;
			hd_buf_addf(&b, "%s/%s", dir, known[k].name);
			*known[k].to = hd_buf_take(&b);
			any = true;
		}
	}
	if (!any)
		return hd_fail(err, HD_EFORMAT, "%s: names none of power.csv, gpu.csv and memory.csv in \"files\"",
			path);
	return 0;
}

static int take(struct hd_sample_folder *out, const struct hd_json *root, const char *dir, const char *path,
		struct hd_err *err)
{
	static const char *const states[] = { "ok", "failed", "interrupted" };
	const char *format, *status, *command, *boot;
	char here[HD_BOOT_ID];
	int64_t started_ns, signal;

	format = hd_json_kind(root) == HD_JSON_OBJECT ? text_of(root, "format") : NULL;
	if (!format || strcmp(format, "hotdrift.sample") != 0)
		return hd_fail(err, HD_EFORMAT,
			       "%s: is not the summary that hotdrift sample writes (format hotdrift.sample)", path);
	status = text_of(root, "status");
	for (size_t i = 0; status && i < HD_COUNT(states); i++)
		if (!strcmp(status, states[i]))
			out->status = states[i];
	started_ns = number_of(root, "started_ns", INT64_MAX);
	if (!out->status || started_ns < 0)
		return hd_fail(err, HD_EFORMAT, "%s: has no valid %s", path, out->status ? "started_ns" : "status");
	out->started_s = started_ns / 1000000000;
	signal = number_of(root, "signal", 64);
	out->exit_status = signal > 0 ? 128 + (int)signal : (int)number_of(root, "exit_status", 255);
	boot = text_of(root, "boot_id");
	hd_boot_id(here);
	out->is_here = boot && *here && !strcmp(boot, here);
	command = text_of(root, "command");
	out->command = command ? hd_strdup(command) : NULL;
	return take_files(out, root, dir, path, err);
}

int hd_sample_folder_parse(struct hd_sample_folder *out, const char *text, size_t n, const char *dir, const char *path,
		     struct hd_err *err)
{
	struct hd_json_doc *doc;
	int rc;

	*out = (struct hd_sample_folder){ .exit_status = -1 };
	rc = hd_json_parse(&doc, text, n, path, err);
	if (rc < 0)
		return rc;
	rc = take(out, hd_json_root(doc), dir, path, err);
	hd_json_free(doc);
	if (rc < 0)
		hd_sample_folder_release(out);
	return rc;
}

int hd_sample_folder_read(struct hd_sample_folder *out, const char *dir, struct hd_err *err)
{
	struct hd_buf path = { 0 }, text = { 0 };
	int fd, rc;

	*out = (struct hd_sample_folder){ .exit_status = -1 };
	hd_buf_addf(&path, "%s/sample.json", dir);
	rc = fd = hd_file_open_regular(path.data, err);
	if (fd >= 0) {
		rc = hd_file_slurp(fd, path.data, MAX_BYTES, &text, err);
		close(fd);
	}
	if (rc >= 0)
		rc = hd_sample_folder_parse(out, hd_buf_str(&text), text.len, dir, path.data, err);
	hd_buf_release(&text);
	hd_buf_release(&path);
	return rc;
}

void hd_sample_folder_release(struct hd_sample_folder *s)
{
	free(s->command);
	free(s->power);
	free(s->gpu);
	free(s->memory);
	*s = (struct hd_sample_folder){ .exit_status = -1 };
}
