/*
 * tracepoint_format.h - parse the field lines of a tracepoint's format strictly
 *
 * libtraceevent leaks memory on malformed formats.  It therefore gets only lines that are written here, from the values
 * that were parsed:
 *
 *     field:DECL;\toffset:N;\tsize:N;\tsigned:N;
 *
 * DECL consists of words and stars.  The last word is the name, with an optional [N] after it, where N is digits, a
 * word or empty.  After __data_loc or __rel_loc, the type is followed by [].  `signed` is 0 if it is missing or
 * invalid; any other text after the size is dropped.  Lines of another form are dropped, so their fields do not exist.
 */
#ifndef HD_PERFDATA_TRACEPOINT_FORMAT_H
#define HD_PERFDATA_TRACEPOINT_FORMAT_H

#include "base/buf.h"

/* Append the valid field lines of `format` to `out`. */
void hd_tracepoint_format_clean(const char *format, struct hd_buf *out);

#endif
