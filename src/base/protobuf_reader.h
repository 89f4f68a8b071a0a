/*
 * protobuf_reader.h - read the fields of a Protocol Buffers message, one after the other
 *
 *     struct hd_protobuf_reader r = hd_protobuf_over(bytes, n);
 *     struct hd_protobuf_field f;
 *     while (hd_protobuf_next(&r, &f))
 *             ...
 *     if (r.bad) ...				the message is invalid at r.at
 *
 * Source: the encoding page of protobuf.dev.  Field number 0, field numbers of more than 29 bits, and groups (wire
 * types 3 and 4) are invalid.  Nothing is copied.
 */
#ifndef HD_BASE_PROTOBUF_READER_H
#define HD_BASE_PROTOBUF_READER_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hd_protobuf_reader {
	const uint8_t *at, *end;
	bool bad;
};

enum hd_protobuf_wire { HD_PROTOBUF_VARINT = 0, HD_PROTOBUF_64 = 1, HD_PROTOBUF_BYTES = 2, HD_PROTOBUF_32 = 5 };

struct hd_protobuf_field {
	uint32_t number;
	enum hd_protobuf_wire wire;
	uint64_t v;			/* a number; for bytes their length */
	const uint8_t *bytes;		/* NULL for a number */
};

/* bytes: NULL if n is 0 */
static inline struct hd_protobuf_reader hd_protobuf_over(const void *bytes, size_t n)
{
	return (struct hd_protobuf_reader){ bytes, n ? (const uint8_t *)bytes + n : bytes, false };
}

/* Read a varint.  Returns false, and sets r->bad, if it is cut or longer than 10 bytes. */
static inline bool hd_protobuf_read_varint(struct hd_protobuf_reader *r, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; r->at < r->end && shift < 70; shift += 7) {
		uint8_t byte = *r->at++;

		*v |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 63);
		if (!(byte & 0x80))
			return true;
	}
	r->bad = true;
	return false;
}

/* Read a tag and its field.  Returns false if the field is invalid or cut. */
static inline bool hd_protobuf_read_field(struct hd_protobuf_reader *r, struct hd_protobuf_field *f)
{
	uint64_t tag, n;

	/* A field number has 1 to 29 bits, and the wire type takes 3, so a valid tag fits into 32 bits. */
	if (!hd_protobuf_read_varint(r, &tag) || tag >> 32 || !(tag >> 3))
		return false;
	f->number = (uint32_t)tag >> 3;
	f->wire = (enum hd_protobuf_wire)(tag & 7);
	f->bytes = NULL;
	switch (f->wire) {
	case HD_PROTOBUF_VARINT: return hd_protobuf_read_varint(r, &f->v);
	case HD_PROTOBUF_BYTES:
		if (!hd_protobuf_read_varint(r, &n))
			return false;
		f->bytes = r->at;
		break;
	case HD_PROTOBUF_64: n = 8; break;
	case HD_PROTOBUF_32: n = 4; break;
	default: return false;
	}
	if (n > (uint64_t)(r->end - r->at))
		return false;
	f->v = n;
	if (!f->bytes) {
		f->v = 0;
		memcpy(&f->v, r->at, n);
		f->v = le64toh(f->v);
	}
	r->at += n;
	return true;
}

/* Read the next field.  Returns false at the end, or with r->bad set; then r->at is where the invalid field begins. */
static inline bool hd_protobuf_next(struct hd_protobuf_reader *r, struct hd_protobuf_field *f)
{
	const uint8_t *start = r->at;

	if (r->bad || r->at == r->end)
		return false;
	if (hd_protobuf_read_field(r, f))
		return true;
	r->at = start;
	r->bad = true;
	return false;
}

#endif
