/*
 * turns.h - tell whether the runs of two sides were recorded in turns, in the same named sessions
 *
 * If the runs of a session alternate between the sides (bench --add of two commands: A B B A), the machine was the same
 * for both, and what most symbols share is a change of the program.  If all runs of one side came first, a machine that
 * became slower meanwhile looks the same as a slower program.
 */
#ifndef HD_HISTORY_TURNS_H
#define HD_HISTORY_TURNS_H

#include <stdbool.h>
#include <stddef.h>

enum { HD_TURNS_LEAST = 3 };		/* fewest runs of a side whose sessions count */

struct hd_turn {
	const char *session;		/* NULL: not named */
	const char *recorded;		/* 2026-11-20T14:01:02Z */
};

/* Return true if both sessions are named, and are the same. */
bool hd_turns_in_one_session(const char *a, const char *b);
/*
 * Return true if each side has at least HD_TURNS_LEAST runs, all of them in sessions that the other side has, too, and
 * the sides alternate in time: of the pairs of a run of the base and one of the head, 30 to 70 % have that of the base
 * first; runs of the same second count half.  The order A B A B A B has 67 %, A A A B B B has 100 %.  runs: those of
 * the base, followed by those of the head.
 */
bool hd_turns(const struct hd_turn *runs, size_t base, size_t head);

#endif
