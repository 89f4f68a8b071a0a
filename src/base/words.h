/*
 * words.h - a growing list of borrowed strings (option values given again and again)
 */
#ifndef HD_BASE_WORDS_H
#define HD_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct hd_words {
	const char **items;
	size_t n, cap;
};

static inline bool hd_words_have(const struct hd_words *w, const char *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->items[i], s))
			return true;
	return false;
}

#endif
