/*
 * answers.h - read tables of known answers, and compare computed answers with them
 *
 *     struct table t;  if (!answers_open(&t, dir, "counts/two_shares.tsv")) return;     prints that it is skipped
 *     struct verdict v = { .file = "counts/two_shares.tsv", .tolerance = 1e-9 };
 *     for each row:  judge(&v, "row 3: z", ours, theirs);
 *     verdict_end(&v);      one line: rows, differences, worst error, tolerance
 *
 * An error is relative to the known answer, or absolute if that is below 1e-12.  NaN is always a difference.
 */
#ifndef HD_ANSWERS_H
#define HD_ANSWERS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, LIST_MAX = 4096, TOLD_MAX = 5 };

struct table {
	char *text;
	char **cells;		/* rows * columns, the header first */
	size_t rows, columns;	/* rows without the header */
};

struct verdict {
	const char *file;
	size_t rows, differences, skipped;
	double worst, tolerance;
	const char *note;	/* printed after the numbers; may be NULL */
};

__attribute__((unused)) static char *slurp(const char *dir, const char *file)
{
	char path[4096];
	char *text = NULL;
	size_t n = 0, got;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	do {
		text = realloc(text, n + 65537);
		got = fread(text + n, 1, 65536, f);
		n += got;
	} while (got);
	text[n] = '\0';
	fclose(f);
	return text;
}

/* Open a table whose cells are separated by `sep`; short lines are filled with "".  Returns false without a file. */
__attribute__((unused)) static bool answers_open_by(struct table *t, const char *dir, const char *file, char sep)
{
	size_t cap = 0, line = 0;

	*t = (struct table){ .text = slurp(dir, file) };
	if (!t->text)
		return false;
	for (char *p = t->text; *p; line++) {
		char *end = p + strcspn(p, "\n"), *next = *end ? end + 1 : end;
		size_t column = 0;

		*end = '\0';
		if (!line) {
			t->columns = 1;
			for (char *c = p; *c; c++)
				t->columns += *c == sep;
		}
		if ((line + 1) * t->columns > cap) {
			cap = 2 * (line + 1) * t->columns;
			t->cells = realloc(t->cells, cap * sizeof(*t->cells));
		}
		for (; column < t->columns; column++) {
			char *to = p ? strchr(p, sep) : NULL;

			t->cells[line * t->columns + column] = p ? p : (char *)"";
			if (to)
				*to++ = '\0';
			p = to;
		}
		p = next;
	}
	t->rows = line ? line - 1 : 0;
	return true;
}

__attribute__((unused)) static bool answers_open(struct table *t, const char *dir, const char *file)
{
	if (answers_open_by(t, dir, file, '\t'))
		return true;
	printf("skipped: %s: is not in the folder\n", file);
	return false;
}

__attribute__((unused)) static void answers_close(struct table *t)
{
	free(t->text);
	free(t->cells);
}

__attribute__((unused)) static const char *cell(const struct table *t, size_t row, const char *column)
{
	for (size_t c = 0; c < t->columns; c++)
		if (!strcmp(t->cells[c], column))
			return t->cells[(row + 1) * t->columns + c];
	return "";
}

__attribute__((unused)) static double number(const struct table *t, size_t row, const char *column)
{
	const char *s = cell(t, row, column);

	return *s ? strtod(s, NULL) : NAN;
}

/* Parse "[1,2,3]", "1;2" or "1,2" into numbers, and return how many there are. */
__attribute__((unused)) static size_t numbers(const char *s, double *out)
{
	size_t n = 0;

	while (*s && n < LIST_MAX) {
		char *end;

		s += strspn(s, "[],; ");
		out[n] = strtod(s, &end);
		if (end == s)
			break;
		n++;
		s = end;
	}
	return n;
}

/* Return the number after `key=` in "a=1;b=2"; NAN if there is none. */
__attribute__((unused)) static double keyed(const char *s, const char *key)
{
	size_t n = strlen(key);

	for (; s && *s; s = strchr(s, ';') ? strchr(s, ';') + 1 : NULL)
		if (!strncmp(s, key, n) && s[n] == '=')
			return strtod(s + n + 1, NULL);
	return NAN;
}

__attribute__((unused, format(printf, 2, 3))) static void differ(struct verdict *v, const char *fmt, ...)
{
	va_list ap;

	if (v->differences++ >= TOLD_MAX)
		return;
	printf("  %s: ", v->file);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

__attribute__((unused)) static void judge(struct verdict *v, size_t row, const char *what, double ours, double theirs)
{
	double error = fabs(theirs) < 1e-12 ? fabs(ours - theirs) : fabs(ours - theirs) / fabs(theirs);

	if (ours == theirs)
		error = 0;
	if (error > v->worst)
		v->worst = error;
	if (!(error <= v->tolerance))
		differ(v, "row %zu: %s is %.12g, expected %.12g", row + 1, what, ours, theirs);
}

__attribute__((unused)) static void verdict_end(const struct verdict *v)
{
	const char *what = v->differences ? "FAILED" : v->rows ? "passed" : "skipped";

	printf("%s: %s: %zu rows, %zu differences, worst error %.2g, tolerance %.2g%s%s\n", what, v->file, v->rows,
		v->differences, v->worst, v->tolerance, v->note ? "; " : "", v->note ? v->note : "");
}

#endif
