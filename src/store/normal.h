/*
 * normal.h - a displayed name without what differs from build to build
 *
 *     parse_row.isra.0.constprop.1             parse_row
 *     parse [clone .part.0] [clone .cold]      parse
 *     raw_vec::finish_grow::h463b2c6f0ba30854  raw_vec::finish_grow
 *     query_impl[16af0aa4f1d40934]::get        query_impl::get
 *
 * Numbers that belong to the name stay: main.(*T).Run.func1, operator new(unsigned long).
 */
#ifndef HD_STORE_NORMAL_H
#define HD_STORE_NORMAL_H

/* Yours.  Never empty unless the name is. */
char *hd_normal_name(const char *name);

#endif
