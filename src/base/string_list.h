/* string_list.h - a growing list of borrowed strings (values of repeated options) */
#ifndef HD_BASE_STRING_LIST_H
#define HD_BASE_STRING_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct hd_string_list {
	const char **items;
	size_t n, cap;
};

static inline bool hd_string_list_has(const struct hd_string_list *w, const char *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->items[i], s))
			return true;
	return false;
}

#endif
