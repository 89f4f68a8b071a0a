/*
 * turns.c - see turns.h
 */
#include "history/turns.h"

#include "db/row_reader.h"

#include <string.h>

#define FIRST_LEAST 0.3
#define FIRST_MOST 0.7

bool hd_turns_in_one_session(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool has_session(const char *session, const struct hd_turn *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hd_turns_in_one_session(session, runs[i].session))
			return true;
	return false;
}

/* Return the fraction of pairs in which the run of the base was recorded first. */
static double base_first(const struct hd_turn *runs, size_t base, size_t head)
{
	double first = 0;

	for (size_t i = 0; i < base; i++)
		for (size_t k = base; k < base + head; k++) {
			int c = strcmp(hd_or_empty(runs[i].recorded), hd_or_empty(runs[k].recorded));

			first += c < 0 ? 1 : c == 0 ? 0.5 : 0;
		}
	return first / (double)(base * head);
}

bool hd_turns(const struct hd_turn *runs, size_t base, size_t head)
{
	double first;

	if (base < HD_TURNS_LEAST || head < HD_TURNS_LEAST)
		return false;
	for (size_t i = 0; i < base + head; i++)
		if (!has_session(runs[i].session, runs + (i < base ? base : 0), i < base ? head : base))
			return false;
	first = base_first(runs, base, head);
	return first >= FIRST_LEAST && first <= FIRST_MOST;
}
