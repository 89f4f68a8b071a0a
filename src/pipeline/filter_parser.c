/*
 * filter_parser.c - recursive-descent parser of the filter language, see filter.h
 */
#include "pipeline/filter_tree.h"

#include "base/mem.h"
#include "base/utc.h"
#include "pipeline/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct hd_filter *f;
	const char *text, *p;
	unsigned depth;
	struct hd_err *err;
};

/* Fail with the column of the parser, what is expected there, and the text that follows. */
static int wrong(struct parser *ps, const char *want)
{
	return hd_fail(ps->err, HD_EUSAGE, "--filter: column %zu: %s%s%.40s", (size_t)(ps->p - ps->text) + 1, want,
		       *ps->p ? ", not " : ", and the expression ends", ps->p);
}

static void skip_blanks(struct parser *ps)
{
	while (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\n')
		ps->p++;
}

static bool take(struct parser *ps, const char *token)
{
	size_t n = strlen(token);

	skip_blanks(ps);
	if (strncmp(ps->p, token, n))
		return false;
	ps->p += n;
	return true;
}

static uint32_t add_node(struct parser *ps, enum hd_filter_node_kind kind)
{
	struct hd_filter *f = ps->f;

	HD_GROW(f->nodes, f->n + 1, f->cap);
	f->nodes[f->n] = (struct hd_filter_node){ .kind = kind };
	return (uint32_t)++f->n;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':' || c == '-';
}

static bool take_op(struct parser *ps, enum hd_filter_op *op)
{
	static const struct { const char *token; enum hd_filter_op op; } ops[] = {
		{ "==", HD_FILTER_OP_EQ }, { "!=", HD_FILTER_OP_NE }, { "<=", HD_FILTER_OP_LE },
		{ "<", HD_FILTER_OP_LT }, { ">=", HD_FILTER_OP_GE }, { ">", HD_FILTER_OP_GT },
		{ "~", HD_FILTER_OP_GLOB },
	};

	skip_blanks(ps);
	for (size_t i = 0; i < HD_COUNT(ops); i++)
		if (take(ps, ops[i].token)) {
			*op = ops[i].op;
			return true;
		}
	if (!strncmp(ps->p, "&&", 2) || !take(ps, "&"))
		return false;
	*op = HD_FILTER_OP_BITS;
	return true;
}

/* Parse a number: 12, -3 or 0x1f.  Unlike in the kernel's filters, a number with a leading 0 is decimal, not octal. */
static bool parse_number(const char *s, struct hd_signed_magnitude *w)
{
	char *end;

	w->below = *s == '-';
	s += w->below;
	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	w->magnitude = strtoull(s, &end, s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10);
	w->below &= w->magnitude != 0;
	return !errno && !*end;
}

static int take_value(struct parser *ps, struct hd_filter_node *node)
{
	const char *from;

	skip_blanks(ps);
	from = ps->p;
	if (*from == '"' || *from == '\'') {
		const char *close = strchr(from + 1, *from);

		if (!close)
			return wrong(ps, "a text wants its closing quote");
		node->text = hd_strndup(from + 1, (size_t)(close - from - 1));
		node->quoted = true;
		ps->p = close + 1;
	} else {
		size_t n = strcspn(from, " \t\n()&|!<>=~\"'");

		if (!n)
			return wrong(ps, "a number or a text is wanted");
		node->text = hd_strndup(from, n);
		ps->p += n;
	}
	node->len = strlen(node->text);
	node->is_number = !node->quoted && parse_number(node->text, &node->number);
	node->is_time = !node->quoted && hd_parse_seconds_ns(node->text, node->len, &node->time_ns);
	return 0;
}

static int parse_compare(struct parser *ps, uint32_t *out)
{
	struct hd_filter_node node = { .kind = HD_FILTER_NODE_COMPARE };
	const char *from = ps->p;
	int rc;

	while (name_char(*ps->p))
		ps->p++;
	if (ps->p == from || isdigit((unsigned char)*from)) {
		ps->p = from;
		return wrong(ps, "the name of a field, !, or ( is wanted");
	}
	node.field = hd_strndup(from, (size_t)(ps->p - from));
	skip_blanks(ps);
	rc = take_op(ps, &node.op) ? take_value(ps, &node) : wrong(ps, "one of == != < <= > >= & ~ is wanted");
	*out = add_node(ps, HD_FILTER_NODE_COMPARE);
	/* also on failure, because hd_filter_free() frees the strings of the node */
	ps->f->nodes[*out - 1] = node;
	return rc;
}

static int parse_list(struct parser *ps, enum hd_filter_node_kind kind, uint32_t *out);

/* Parse one operand of && or ||: a comparison, a negation or an expression in parentheses. */
static int parse_part(struct parser *ps, uint32_t *out)
{
	uint32_t inner;
	int rc;

	skip_blanks(ps);
	if (*ps->p != '(' && *ps->p != '!')
		return parse_compare(ps, out);
	if (ps->depth == HD_FILTER_DEPTH)
		return wrong(ps, "32 levels of nesting are all there are");
	ps->depth++;
	if (*ps->p++ == '(') {
		rc = parse_list(ps, HD_FILTER_NODE_ANY, out);
		if (rc >= 0 && !take(ps, ")"))
			rc = wrong(ps, "&&, || or ) is wanted");
	} else {
		*out = add_node(ps, HD_FILTER_NODE_NOT);
		rc = parse_part(ps, &inner);
		if (rc >= 0)
			ps->f->nodes[*out - 1].first = inner;
	}
	ps->depth--;
	return rc;
}

/* Parse a list of operands, which are separated by || for HD_FILTER_NODE_ANY and by && for HD_FILTER_NODE_ALL. */
static int parse_list(struct parser *ps, enum hd_filter_node_kind kind, uint32_t *out)
{
	uint32_t last = 0, part, list = add_node(ps, kind);
	int rc;

	*out = list;
	do {
		rc = kind == HD_FILTER_NODE_ANY ? parse_list(ps, HD_FILTER_NODE_ALL, &part) : parse_part(ps, &part);
		if (rc < 0)
			return rc;
		if (last)
			ps->f->nodes[last - 1].next = part;
		else
			ps->f->nodes[list - 1].first = part;
		last = part;
	} while (take(ps, kind == HD_FILTER_NODE_ANY ? "||" : "&&"));
	return 0;
}

int hd_filter_parse(struct hd_filter **out, const char *text, struct hd_err *err)
{
	struct parser ps = { .f = hd_new(struct hd_filter), .text = text, .p = text, .err = err };
	int rc;

	*out = NULL;
	if (strlen(text) > HD_FILTER_BYTES)
		rc = hd_fail(err, HD_EUSAGE, "--filter: %zu bytes are too many, %d are allowed", strlen(text),
			HD_FILTER_BYTES);
	else
		rc = parse_list(&ps, HD_FILTER_NODE_ANY, &ps.f->root);
	skip_blanks(&ps);
	if (rc >= 0 && *ps.p)
		rc = wrong(&ps, "&& or || is wanted");
	if (rc < 0)
		hd_filter_free(ps.f);
	else
		*out = ps.f;
	return rc;
}
