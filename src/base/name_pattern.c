/*
 * name_pattern.c - see name_pattern.h
 */
#include "base/name_pattern.h"

#include "base/glob.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int compile(struct hd_name_pattern *np, size_t n, const char *option, struct hd_err *err)
{
	char *expression = hd_strdup(np->text + 1), why[120];
	int rc;

	expression[n - 2] = '\0';
	rc = regcomp(&np->regex, expression, REG_EXTENDED | REG_NOSUB);
	free(expression);
	if (rc) {
		regerror(rc, &np->regex, why, sizeof(why));
		return hd_fail(err, HD_EUSAGE, "--%s: %s is no regular expression: %s", option, np->text, why);
	}
	np->compiled = true;
	return 0;
}

int hd_name_pattern_init(struct hd_name_pattern *np, const char *text, const char *option, struct hd_err *err)
{
	size_t n = strlen(text);

	*np = (struct hd_name_pattern){ .text = text, .glob = strpbrk(text, "*?[") != NULL };
	if (!n)
		return hd_fail(err, HD_EUSAGE, "--%s takes a name, a glob or /REGEX/, not ''", option);
	return n > 2 && text[0] == '/' && text[n - 1] == '/' ? compile(np, n, option, err) : 0;
}

void hd_name_pattern_release(struct hd_name_pattern *np)
{
	if (np->compiled)
		regfree(&np->regex);
	*np = (struct hd_name_pattern){ 0 };
}

bool hd_name_pattern_matches(const struct hd_name_pattern *np, const char *name)
{
	if (!strcmp(np->text, name))
		return true;
	if (np->compiled)
		return regexec(&np->regex, name, 0, NULL, 0) == 0;
	return np->glob && hd_glob(np->text, strlen(np->text), name, strlen(name));
}
