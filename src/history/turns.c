/*
 * turns.c - see turns.h
 */
#include "history/turns.h"

#include <string.h>

bool hd_turns_has(const char *session, const char *const *sessions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (session && sessions[i] && !strcmp(session, sessions[i]))
			return true;
	return false;
}

bool hd_turns(const char *const *sessions, size_t base, size_t head)
{
	if (base < HD_TURNS_LEAST || head < HD_TURNS_LEAST)
		return false;
	for (size_t i = 0; i < base + head; i++)
		if (!hd_turns_has(sessions[i], sessions + (i < base ? base : 0), i < base ? head : base))
			return false;
	return true;
}
