/*
 * tracepoint_format.h - the field lines of a tracepoint's format, read strictly
 *
 * libtraceevent leaks memory on formats that are not well-formed, so it gets
 * only lines that were read whole here and written anew:
 *
 *     field:DECL;\toffset:N;\tsize:N;\tsigned:N;
 *
 * DECL is words and stars, the last word the name, perhaps with [N] behind it;
 * with __data_loc or __rel_loc in front, [] is behind the type.  Other lines
 * are left out: their fields do not exist.
 */
#ifndef HD_PERFDATA_TRACEPOINT_FORMAT_H
#define HD_PERFDATA_TRACEPOINT_FORMAT_H

#include "base/buf.h"

/* Append the clean lines of `format` to out. */
void hd_tracepoint_format_clean(const char *format, struct hd_buf *out);

#endif
