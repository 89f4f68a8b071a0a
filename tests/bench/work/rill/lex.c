/* lex.c - split text into tokens */
#include "rill.h"

#include <ctype.h>
#include <string.h>

static int word(const char *s, size_t n)
{
	static const struct { const char *name; int token; } words[] = {
		{ "let", T_LET }, { "fn", T_FN }, { "if", T_IF }, { "else", T_ELSE }, { "while", T_WHILE },
		{ "return", T_RETURN }, { "and", T_AND }, { "or", T_OR },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == n && !memcmp(words[i].name, s, n))
			return words[i].token;
	return T_NAME;
}

static double digits(const char **at)
{
	double v = 0, unit = 1;

	for (; isdigit((unsigned char)**at); ++*at)
		v = v * 10 + (**at - '0');
	if (**at == '.')
		for (++*at; isdigit((unsigned char)**at); ++*at)
			v += (unit /= 10) * (**at - '0');
	return v;
}

void lex_next(struct lexer *lx)
{
	while (isspace((unsigned char)*lx->at))
		lx->at++;
	lx->text = lx->at;
	if (!*lx->at) {
		lx->token = T_END;
	} else if (isdigit((unsigned char)*lx->at)) {
		lx->token = T_NUMBER;
		lx->number = digits(&lx->at);
	} else if (isalpha((unsigned char)*lx->at) || *lx->at == '_') {
		while (isalnum((unsigned char)*lx->at) || *lx->at == '_')
			lx->at++;
		lx->token = word(lx->text, (size_t)(lx->at - lx->text));
	} else if (*lx->at == '\'') {
		const char *end = strchr(lx->at + 1, '\'');

		if (!end)
			die("a string has no end");
		lx->token = T_STRING;
		lx->text++;
		lx->len = (size_t)(end - lx->text);
		lx->at = end + 1;
		return;
	} else if (lx->at[1] == '=' && strchr("<>=!", *lx->at)) {
		lx->token = *lx->at == '<' ? T_LE : *lx->at == '>' ? T_GE : *lx->at == '=' ? T_EQ : T_NE;
		lx->at += 2;
	} else {
		lx->token = (unsigned char)*lx->at++;
	}
	lx->len = (size_t)(lx->at - lx->text);
}
