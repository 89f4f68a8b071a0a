/* writer.c - write a bundle in one pass: see bundle.h */
#include "bundle/bundle.h"

#include "base/mem.h"
#include "bundle/format.h"
#include "bundle/piece.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

const uint8_t hd_bundle_magic[HD_BUNDLE_MAGIC] = { 0x89, 'H', 'D', 'B', '\r', '\n', 0x1a, '\n' };
const uint8_t hd_bundle_mark[4] = { 'S', 'E', 'C', 'T' };

struct hd_bundle_writer {
	struct hd_outfile *out;
	struct hd_piece_packer *packer;
	/* piece: content that was added and is not compressed yet; packed: compressed bytes for the output */
	struct hd_buf piece, packed;
	/* bytes of the current section that are declared but not compressed yet; those in `piece` are included */
	uint64_t left;
};

static void write_out(struct hd_bundle_writer *w)
{
	hd_outfile_add(w->out, hd_buf_str(&w->packed), w->packed.len);
	hd_buf_reset(&w->packed);
}

struct hd_bundle_writer *hd_bundle_begin(struct hd_outfile *out)
{
	struct hd_bundle_writer *w = hd_new(struct hd_bundle_writer);

	w->out = out;
	w->packer = hd_piece_packer_new();
	hd_buf_add(&w->packed, hd_bundle_magic, HD_BUNDLE_MAGIC);
	hd_buf_le16(&w->packed, HD_BUNDLE_VERSION);
	hd_buf_le16(&w->packed, 0);
	hd_buf_le32(&w->packed, 0);
	write_out(w);
	return w;
}

static void put_header(struct hd_bundle_writer *w, enum hd_bundle_type type, const char *name, uint64_t bytes)
{
	struct hd_buf *b = &w->packed;
	size_t n = strlen(name);
	uint32_t sum;

	hd_buf_add(b, hd_bundle_mark, sizeof(hd_bundle_mark));
	hd_buf_le16(b, (uint16_t)type);
	hd_buf_le16(b, 0);
	hd_buf_le64(b, bytes);
	hd_buf_le32(b, (uint32_t)n);
	sum = hd_bundle_sum(HD_BUNDLE_SUM, b->data, b->len);
	hd_buf_le32(b, hd_bundle_sum(sum, name, n));
	hd_buf_add(b, name, n);
	write_out(w);
}

int hd_bundle_section(struct hd_bundle_writer *w, enum hd_bundle_type type, const char *name, uint64_t bytes,
	struct hd_err *err)
{
	if (w->left)
		return hd_fail(err, HD_EIO, "a section of the bundle ends %llu bytes too early",
			(unsigned long long)w->left);
	if (strlen(name) > HD_BUNDLE_NAME)
		return hd_fail(err, HD_EFORMAT, "a section name of %zu bytes is too long", strlen(name));
	put_header(w, type, name, bytes);
	w->left = bytes;
	return 0;
}

static int write_piece(struct hd_bundle_writer *w, const void *p, size_t n, struct hd_err *err)
{
	uint32_t stored;
	int rc;

	hd_buf_le32(&w->packed, 0);
	rc = hd_piece_pack(w->packer, p, n, &w->packed, err);
	if (rc < 0)
		return rc;
	stored = htole32((uint32_t)(w->packed.len - 4));
	memcpy(w->packed.data, &stored, 4);
	write_out(w);
	w->left -= n;
	hd_buf_reset(&w->piece);
	return 0;
}

int hd_bundle_add(struct hd_bundle_writer *w, const void *p, size_t n, struct hd_err *err)
{
	const char *s = p;

	if (n > w->left - w->piece.len)
		return hd_fail(err, HD_EIO, "a section of the bundle gets more content than declared");
	while (n) {
		size_t room = HD_BUNDLE_PIECE - w->piece.len, take = n < room ? n : room;
		int rc = 0;

		hd_buf_add(&w->piece, s, take);
		s += take;
		n -= take;
		if (w->piece.len == HD_BUNDLE_PIECE || w->piece.len == w->left)
			rc = write_piece(w, w->piece.data, w->piece.len, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

void hd_bundle_abandon(struct hd_bundle_writer *w)
{
	if (!w)
		return;
	hd_piece_packer_free(w->packer);
	hd_buf_release(&w->piece);
	hd_buf_release(&w->packed);
	free(w);
}

int hd_bundle_end(struct hd_bundle_writer *w, struct hd_err *err)
{
	int rc = hd_bundle_section(w, HD_BUNDLE_END, "", 0, err);

	hd_bundle_abandon(w);
	return rc;
}
