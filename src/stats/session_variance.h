/*
 * session_variance.h - estimate how much symbols vary between recording sessions, from earlier sessions
 *
 * Runs of one session share a boot, a build folder and the state of a machine.  If all runs of the base are from one
 * session and all runs of the head from another, the spread of runs within a session says nothing about the difference
 * between sessions.  Earlier sessions of the same target do.
 *
 * The runs of a session are summed.  For each symbol the differences between successive sessions, less what most symbols
 * did, have twice the variance of one session.  A difference beyond 4 robust deviations is a change of the program and
 * does not count.  Successive differences are used because they are blind to slow trends.
 */
#ifndef HD_STATS_SESSION_VARIANCE_H
#define HD_STATS_SESSION_VARIANCE_H

#include <stddef.h>
#include <stdint.h>

enum { HD_SESSION_VARIANCE_LEAST = 5 };		/* with fewer earlier sessions nothing is estimated */

struct hd_session_variance {
	size_t symbols, n;		/* rows; sessions */
	double runs;			/* runs of a session, on average */
	double df;			/* degrees of freedom of s2 */
	double *s2, *v; /* of each row: variance of ln(cost) of one session; the part that counting explains */
	double level_s2;		/* variance of the level of one session */
};

/*
 * y: symbols x runs samples; session[r] is the number of run r's session, 0 .. n-1 in the order of time.
 * HD_TRACK_NOMEM; HD_TRACK_NONE with fewer than HD_SESSION_VARIANCE_LEAST sessions.  Release after HD_TRACK_OK.
 */
int hd_session_variance_fit(struct hd_session_variance *out, const double *y, size_t symbols, size_t runs,
	const uint32_t *session, size_t n);
void hd_session_variance_release(struct hd_session_variance *s);

#endif
