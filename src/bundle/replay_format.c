/*
 * replay_format.c - see replay_format.h
 */
#include "bundle/replay_format.h"

#include "base/mem.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the head ---- */

#define COLUMN(member) { offsetof(struct hd_replay_head, member), sizeof(((struct hd_replay_head *)0)->member) }

static const struct { uint8_t at, size; } columns[] = {
	COLUMN(kind), COLUMN(quality), COLUMN(flags), COLUMN(start), COLUMN(pgoff), COLUMN(pid), COLUMN(path),
	COLUMN(id), COLUMN(origin), COLUMN(problem), COLUMN(build_id), COLUMN(code), COLUMN(rows[0]), COLUMN(rows[1]),
	COLUMN(rows[2]), COLUMN(rows[3]), COLUMN(rows[4]), COLUMN(rows[5]), COLUMN(machine), COLUMN(mnt_ns),
};

void hd_replay_head_write(struct hd_buf *out, const struct hd_replay_head *h, size_t table_bytes)
{
	hd_buf_le32(out, (uint32_t)(HD_REPLAY_HEAD_BYTES + table_bytes));
	for (size_t i = 0; i < HD_COUNT(columns); i++) {
		const char *p = (const char *)h + columns[i].at;

		switch (columns[i].size) {
		case 1: hd_buf_addc(out, *p); break;
		case 2: hd_buf_le16(out, *(const uint16_t *)(const void *)p); break;
		case 4: hd_buf_le32(out, *(const uint32_t *)(const void *)p); break;
		default: hd_buf_le64(out, *(const uint64_t *)(const void *)p);
		}
	}
}

void hd_replay_head_read(struct hd_bytes *b, struct hd_replay_head *h)
{
	for (size_t i = 0; i < HD_COUNT(columns); i++) {
		void *p = (char *)h + columns[i].at;

		switch (columns[i].size) {
		case 1: *(uint8_t *)p = hd_bytes_u8(b); break;
		case 2: *(uint16_t *)p = hd_bytes_u16(b); break;
		case 4: *(uint32_t *)p = hd_bytes_u32(b); break;
		default: *(uint64_t *)p = hd_bytes_u64(b);
		}
	}
}

/* ---- rows ---- */

/* The number of 64-bit and of 32-bit members of each kind of row. */
static const struct { uint8_t n64, n32; } shapes[] = {
	[HD_REPLAY_WARNINGS] = { 1, 4 }, [HD_REPLAY_SYMBOLS] = { 2, 1 }, [HD_REPLAY_ADDRESSES] = { 2, 1 },
	[HD_REPLAY_PLACES] = { 1, 3 }, [HD_REPLAY_LISTS] = { 0, 2 }, [HD_REPLAY_HITS] = { 1, 4 },
};

size_t hd_replay_row_bytes(enum hd_replay_table t)
{
	return 8u * shapes[t].n64 + 4u * shapes[t].n32;
}

void hd_replay_row_write(struct hd_buf *out, enum hd_replay_table t, const void *row)
{
	const uint64_t *wide = row;
	const uint32_t *narrow = (const uint32_t *)(wide + shapes[t].n64);

	for (unsigned i = 0; i < shapes[t].n64; i++)
		hd_buf_le64(out, wide[i]);
	for (unsigned i = 0; i < shapes[t].n32; i++)
		hd_buf_le32(out, narrow[i]);
}

void hd_replay_row_read(const uint8_t *p, enum hd_replay_table t, void *row)
{
	struct hd_bytes b = hd_bytes_over(p, hd_replay_row_bytes(t), BYTE_ORDER != LITTLE_ENDIAN);
	uint64_t *wide = row;
	uint32_t *narrow = (uint32_t *)(wide + shapes[t].n64);

	for (unsigned i = 0; i < shapes[t].n64; i++)
		wide[i] = hd_bytes_u64(&b);
	for (unsigned i = 0; i < shapes[t].n32; i++)
		narrow[i] = hd_bytes_u32(&b);
}

void hd_replay_planes(uint8_t *p, enum hd_replay_table t, size_t n, bool to_planes)
{
	size_t width = hd_replay_row_bytes(t);
	uint8_t *from = hd_alloc(n * width);

	memcpy(from, n ? p : from, n * width);
	for (size_t k = 0; k < width; k++)
		for (size_t i = 0; i < n; i++)
			if (to_planes)
				p[k * n + i] = from[i * width + k];
			else
				p[i * width + k] = from[k * n + i];
	free(from);
}
