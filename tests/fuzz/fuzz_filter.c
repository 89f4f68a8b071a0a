/*
 * fuzz_filter.c - read the first line as a filter, and match it as a glob pattern with the other lines
 *
 * Invariants: a valid filter has fields, and an invalid one has a message.  fuzz_ingest.c applies filters to
 * recordings.
 */
#include "pipeline/filter.h"
#include "base/glob.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *line;
	struct hd_filter *f;
	struct hd_err err;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	line = strchr(text, '\n');
	if (line)
		*line++ = 0;
	if (hd_filter_parse(&f, text, &err) < 0) {
		assert(!f && err.code == HD_EUSAGE && !strncmp(err.msg, "--filter: ", 10));
	} else {
		size_t n = 0;

		while (hd_filter_field(f, n))
			n++;
		assert(n && n <= HD_FILTER_BYTES);
		hd_filter_free(f);
	}
	if (line)
		hd_glob(text, strlen(text), line, strlen(line));
	free(text);
	return 0;
}
