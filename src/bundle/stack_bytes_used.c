/*
 * stack_bytes_used.c - see stack_bytes_used.h
 */
#include "bundle/stack_bytes_used.h"

#include <string.h>

static void put(struct hd_buf *b, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		hd_buf_addc(b, (char)(v | 128));
	hd_buf_addc(b, (char)v);
}

/*
 * Read one LEB128 number of a note, which lists the used bytes of one stack copy.  Notes need no checks, because this
 * process has written them.
 */
static uint64_t get(const struct hd_buf *b, size_t *pos)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t c;

	do {
		c = (uint8_t)b->data[(*pos)++];
		v |= (uint64_t)(c & 127) << shift;
		shift += 7;
	} while (c & 128);
	return v;
}

/* Return how many consecutive marks (1: this byte of the stack copy was used) equal `marked`, from marks[i] on. */
static size_t run(const uint8_t *marks, size_t i, size_t n, uint8_t marked)
{
	size_t from = i;

	while (i < n && marks[i] == marked)
		i++;
	return i - from;
}

void hd_stack_bytes_used_note(struct hd_buf *notes, const struct hd_record *rec, const struct hd_sample *s,
	const uint8_t *marks)
{
	size_t n = s->stack_user_bytes, runs = 0;

	if (!s->stack_user || rec->inside)
		return;
	for (size_t i = 0; i < n; ) {
		i += run(marks, i, n, 0);
		runs += i < n;
		i += run(marks, i, n, 1);
	}
	put(notes, rec->part);
	put(notes, rec->off + 8 + (uint64_t)(s->stack_user - rec->data));
	/*
	 * In a sample, the u64 before a stack copy is the number of bytes reserved for the copy, and the u64 after the
	 * copy is the number of bytes that the kernel filled.  A note, the list of used bytes, stores the former.
	 */
	put(notes, hd_sample_word(s, s->stack_user - 8));
	put(notes, runs);
	for (size_t i = 0; i < n; ) {
		size_t before = run(marks, i, n, 0), own = run(marks, i + before, n, 1);

		if (own) {
			put(notes, before);
			put(notes, own);
		}
		i += before + own;
	}
}

void hd_stack_bytes_used_add(struct hd_stack_bytes_used *m, const struct hd_buf *notes)
{
	if (notes->len)
		hd_buf_add(&m->notes, notes->data, notes->len);
}

/* Zero those bytes of the file range [from, to) that are in the piece: n bytes at offset `off`.  Returns how many. */
static uint64_t zero(uint64_t from, uint64_t to, uint64_t off, uint8_t *bytes, size_t n)
{
	if (from < off)
		from = off;
	if (to > off + n)
		to = off + n;
	if (from >= to)
		return 0;
	memset(bytes + (from - off), 0, to - from);
	return to - from;
}

void hd_stack_bytes_used_wipe(struct hd_stack_bytes_used *m, struct hd_stack_bytes_used_cursor *at, uint32_t part,
	uint64_t off, uint8_t *bytes, size_t n)
{
	while (at->pos < m->notes.len) {
		size_t pos = at->pos;
		uint64_t of = get(&m->notes, &pos), from = get(&m->notes, &pos), end = from + get(&m->notes, &pos),
			 runs = get(&m->notes, &pos);

		if (of > part || (of == part && from >= off + n))
			return;
		for (; runs; runs--) {
			uint64_t keep = from + get(&m->notes, &pos);

			if (of == part)
				m->wiped += zero(from, keep, off, bytes, n);
			from = keep + get(&m->notes, &pos);
		}
		if (of == part)
			m->wiped += zero(from, end, off, bytes, n);
		if (of == part && end > off + n)
			return;		/* the next piece has the rest of these bytes */
		at->pos = pos;
	}
}

void hd_stack_bytes_used_release(struct hd_stack_bytes_used *m)
{
	hd_buf_release(&m->notes);
	*m = (struct hd_stack_bytes_used){ 0 };
}
