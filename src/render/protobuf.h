/*
 * protobuf.h - encode protocol buffers: varints, numbered fields, nested messages
 *
 *     hd_protobuf_u64(b, 3, 17)        field 3, as a varint; 0 is the default of a field and is not written
 *     hd_protobuf_bytes(b, 6, p, n)    field 6, n bytes: a string, or a message that was built in another buffer
 *     hd_protobuf_message(b, 6, m)     field 6, the message in buffer m, which is empty afterwards
 */
#ifndef HD_RENDER_PROTOBUF_H
#define HD_RENDER_PROTOBUF_H

#include "base/buf.h"

static inline void hd_protobuf_varint(struct hd_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		hd_buf_addc(b, (char)(v | 0x80));
	hd_buf_addc(b, (char)v);
}

static inline void hd_protobuf_u64(struct hd_buf *b, unsigned int field, uint64_t v)
{
	if (!v)
		return;
	hd_protobuf_varint(b, field << 3);
	hd_protobuf_varint(b, v);
}

static inline void hd_protobuf_bytes(struct hd_buf *b, unsigned int field, const void *p, size_t n)
{
	hd_protobuf_varint(b, field << 3 | 2);
	hd_protobuf_varint(b, n);
	hd_buf_add(b, p, n);
}

static inline void hd_protobuf_message(struct hd_buf *b, unsigned int field, struct hd_buf *message)
{
	hd_protobuf_bytes(b, field, hd_buf_str(message), message->len);
	hd_buf_reset(message);
}

#endif
