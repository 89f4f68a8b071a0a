/*
 * turns.h - tell whether the runs of two sides were recorded in turns, in the same named sessions
 *
 * Runs of one session were recorded one after the other on one machine (add --session, bench --add of two commands).
 * If both sides have runs in each session, the machine was the same for both, and what most symbols share is a change
 * of the program.
 */
#ifndef HD_HISTORY_TURNS_H
#define HD_HISTORY_TURNS_H

#include <stdbool.h>
#include <stddef.h>

enum { HD_TURNS_LEAST = 3 };		/* fewest runs of a side whose sessions count */

/* Return true if `session` is named and is one of the n sessions.  NULL: not named. */
bool hd_turns_has(const char *session, const char *const *sessions, size_t n);
/*
 * Return true if each side has at least HD_TURNS_LEAST runs, all of them in sessions that the other side has, too.
 * sessions: of the base's runs, followed by those of the head's.
 */
bool hd_turns(const char *const *sessions, size_t base, size_t head);

#endif
