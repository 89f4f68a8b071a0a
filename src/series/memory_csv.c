/*
 * memory_csv.c - see memory_csv.h
 */
#include "series/memory_csv.h"

#include "base/mem.h"
#include "track/form.h"

#include <stdlib.h>

void hd_memory_csv_step(struct hd_memory_csv *m, enum hd_memory_csv_column c, uint64_t time_ns, uint64_t bytes)
{
	HD_GROW(m->column[c].steps, m->column[c].n + 1, m->column[c].cap);
	m->column[c].steps[m->column[c].n++] = (struct hd_memory_csv_step){ time_ns, bytes };
	m->column[c].known = true;
}

/* Do one pass of a stable bottom-up merge sort: merge each pair of neighbouring sorted runs of `width` steps. */
static void merge(struct hd_memory_csv_step *to, const struct hd_memory_csv_step *from, size_t n, size_t width)
{
	for (size_t begin = 0; begin < n; begin += 2 * width) {
		size_t a = begin, a_end = begin + width < n ? begin + width : n, b = a_end,
		       end = begin + 2 * width < n ? begin + 2 * width : n;

		for (size_t i = begin; i < end; i++)
			to[i] = b == end || (a < a_end && from[a].time_ns <= from[b].time_ns) ? from[a++] : from[b++];
	}
}

static bool is_sorted(const struct hd_memory_csv_step *steps, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (steps[i].time_ns < steps[i - 1].time_ns)
			return false;
	return true;
}

void hd_memory_csv_sort(struct hd_memory_csv *m)
{
	for (int c = 0; c < HD_MEMORY_CSV_COLUMNS; c++) {
		size_t n = m->column[c].n;

		if (is_sorted(m->column[c].steps, n))
			continue;
		for (size_t width = 1; width < n; width *= 2) {
			struct hd_memory_csv_step *to = hd_new_array(struct hd_memory_csv_step, n);

			merge(to, m->column[c].steps, n, width);
			free(m->column[c].steps);
			m->column[c].steps = to;
			m->column[c].cap = n;
		}
	}
}

uint64_t hd_memory_csv_end(const struct hd_memory_csv *m, enum hd_memory_csv_column c)
{
	size_t n = m->column[c].n;

	for (size_t i = n; i-- > 0; )
		if (m->column[c].steps[i].bytes)
			return m->column[c].steps[i + 1 < n ? i + 1 : i].time_ns;
	return 0;
}

uint64_t hd_memory_csv_every(const struct hd_memory_csv *m, uint64_t every_ns, uint64_t most)
{
	uint64_t span = m->to_ns > m->from_ns ? m->to_ns - m->from_ns : 0;

	every_ns = every_ns ? every_ns : 1;
	while (span / every_ns >= most && every_ns < UINT64_MAX / 2)
		every_ns *= 2;
	return every_ns;
}

void hd_memory_csv_write(struct hd_buf *text, const struct hd_memory_csv *m, uint64_t every_ns)
{
	size_t at[HD_MEMORY_CSV_COLUMNS] = { 0 };
	uint64_t now[HD_MEMORY_CSV_COLUMNS] = { 0 }, time = m->from_ns;

	hd_buf_addf(text, "%s\n", hd_form_layout(HD_FORM_MEMORY)->header);
	for (;;) {
		uint64_t peak = now[HD_MEMORY_CSV_RSS];
		bool has_step = false;

		for (int c = 0; c < HD_MEMORY_CSV_COLUMNS; c++) {
			for (; at[c] < m->column[c].n && m->column[c].steps[at[c]].time_ns <= time; at[c]++) {
				now[c] = m->column[c].steps[at[c]].bytes;
				/* The peak of the first row is the value of the last step at or before its time. */
				if (c != HD_MEMORY_CSV_RSS ||
					(has_step && now[c] < peak && m->column[c].steps[at[c]].time_ns > m->from_ns))
					continue;
				peak = now[c];
				has_step = true;
			}
		}
		hd_buf_addu(text, (time + (uint64_t)m->epoch_ns) / 1000);
		for (int c = 0; c < HD_MEMORY_CSV_COLUMNS; c++) {
			hd_buf_addc(text, ',');
			if (m->column[c].known || c != HD_MEMORY_CSV_RSS)
				hd_buf_addu(text, c == HD_MEMORY_CSV_RSS ? peak : now[c]);
		}
		hd_buf_addc(text, '\n');
		if (time >= m->to_ns)
			break;
		time = m->to_ns - time > every_ns ? time + every_ns : m->to_ns;
	}
}

void hd_memory_csv_release(struct hd_memory_csv *m)
{
	for (int c = 0; c < HD_MEMORY_CSV_COLUMNS; c++)
		free(m->column[c].steps);
	*m = (struct hd_memory_csv){ 0 };
}
