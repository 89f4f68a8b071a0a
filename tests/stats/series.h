/*
 * series.h - read series of values with known changes, and measure how well change points agree with annotations
 */
#ifndef HD_STATS_SERIES_H
#define HD_STATS_SERIES_H

#include "answers.h"

/*
 * Read changepoint/series/NAME.csv, one value per line; v has room for LIST_MAX.  Returns 0 if the
 * file does not exist.
 */
__attribute__((unused)) static size_t series_read(double *v, const char *dir, const char *name)
{
	char file[256], *text;
	size_t n = 0;

	snprintf(file, sizeof(file), "changepoint/series/%s.csv", name);
	text = slurp(dir, file);
	for (char *p = text; p && *p && n < LIST_MAX; ) {
		char *end;
		double x = strtod(p, &end);

		if (end != p)
			v[n++] = x;
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	free(text);
	return n;
}

static bool series_near(const double *list, size_t n, double at)
{
	for (size_t i = 0; i < n; i++)
		if (fabs(list[i] - at) <= 5)
			return true;
	return false;
}

/*
 * Return the F1 of van den Burg and Williams 2020, with a margin of 5.  `annotators` has the points that each annotator
 * marked: {"6":[1,2],"7":[]}.  As in their paper, index 0 is added to every set.
 */
__attribute__((unused)) static double series_f1(const char *annotators, const double *found, size_t n)
{
	double all[LIST_MAX], recall = 0, hits = 1;
	size_t count = 0, nall = 0;

	for (const char *s = strchr(annotators, '['); s; s = strchr(s + 1, '[')) {
		double theirs[LIST_MAX], seen = 1;
		size_t k = numbers(s, theirs);

		for (size_t i = 0; i < k; i++) {
			seen += series_near(found, n, theirs[i]);
			if (nall < LIST_MAX)
				all[nall++] = theirs[i];
		}
		recall += seen / (double)(k + 1);
		count++;
	}
	recall /= (double)count;
	for (size_t i = 0; i < n; i++)
		hits += series_near(all, nall, found[i]);
	hits /= (double)(n + 1);
	return 2 * hits * recall / (hits + recall);
}

#endif
