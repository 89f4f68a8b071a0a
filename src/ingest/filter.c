/*
 * filter.c - see filter.h
 *
 * The tree is an array of nodes: a list node (and, or, not) has its parts as a
 * chain from `first` on, so that long lists are loops and only parentheses and
 * negations nest.
 */
#include "ingest/filter.h"

#include "base/mem.h"
#include "ingest/glob.h"
#include "ingest/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum op { OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_BITS, OP_GLOB };
enum kind { COMPARE, ALL, ANY, NOT };
enum truth { FALSE, UNKNOWN, TRUE };

/* A number with its sign, so that all of both kinds compare. */
struct whole {
	bool below;			/* 0 */
	uint64_t magnitude;
};

struct node {
	enum kind kind;
	uint32_t first, next;		/* + 1; 0: none */
	/* COMPARE */
	enum op op;
	char *field;
	char *text;
	size_t len;
	bool quoted, is_number, is_time;
	struct whole number;
	uint64_t time_ns;
	const struct hd_field *at;
};

struct hd_filter {
	struct node *nodes;
	size_t n, cap;
	uint32_t root;			/* + 1 */
	struct hd_buf scratch;
};

struct parser {
	struct hd_filter *f;
	const char *text, *p;
	unsigned depth;
	struct hd_err *err;
};

/* ---- parsing ---- */

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

static uint32_t add_node(struct parser *ps, enum kind kind)
{
	struct hd_filter *f = ps->f;

	HD_GROW(f->nodes, f->n + 1, f->cap);
	f->nodes[f->n] = (struct node){ .kind = kind };
	return (uint32_t)++f->n;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':' || c == '-';
}

static bool take_op(struct parser *ps, enum op *op)
{
	static const struct { const char *token; enum op op; } ops[] = {
		{ "==", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE }, { "<", OP_LT }, { ">=", OP_GE }, { ">", OP_GT }, { "~", OP_GLOB },
	};

	skip_blanks(ps);
	for (size_t i = 0; i < HD_COUNT(ops); i++)
		if (take(ps, ops[i].token)) {
			*op = ops[i].op;
			return true;
		}
	if (!strncmp(ps->p, "&&", 2) || !take(ps, "&"))
		return false;
	*op = OP_BITS;
	return true;
}

/* 12, -3, 0x1f; the kernel's filters have no other forms. */
static bool parse_number(const char *s, struct whole *w)
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

static int take_value(struct parser *ps, struct node *node)
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
	node->is_time = !node->quoted && hd_selector_seconds(node->text, node->len, &node->time_ns);
	return 0;
}

static int parse_compare(struct parser *ps, uint32_t *out)
{
	struct node node = { .kind = COMPARE };
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
	*out = add_node(ps, COMPARE);
	ps->f->nodes[*out - 1] = node;		/* also on failure: it owns its strings */
	return rc;
}

static int parse_list(struct parser *ps, enum kind kind, uint32_t *out);

/* One more level of nesting is entered; who leaves it counts down. */
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
		rc = parse_list(ps, ANY, out);
		if (rc >= 0 && !take(ps, ")"))
			rc = wrong(ps, "&&, || or ) is wanted");
	} else {
		*out = add_node(ps, NOT);
		rc = parse_part(ps, &inner);
		if (rc >= 0)
			ps->f->nodes[*out - 1].first = inner;
	}
	ps->depth--;
	return rc;
}

/* Parts with || between them; of ALL: with &&. */
static int parse_list(struct parser *ps, enum kind kind, uint32_t *out)
{
	uint32_t last = 0, part, list = add_node(ps, kind);
	int rc;

	*out = list;
	do {
		rc = kind == ANY ? parse_list(ps, ALL, &part) : parse_part(ps, &part);
		if (rc < 0)
			return rc;
		if (last)
			ps->f->nodes[last - 1].next = part;
		else
			ps->f->nodes[list - 1].first = part;
		last = part;
	} while (take(ps, kind == ANY ? "||" : "&&"));
	return 0;
}

int hd_filter_parse(struct hd_filter **out, const char *text, struct hd_err *err)
{
	struct parser ps = { .f = hd_new(struct hd_filter), .text = text, .p = text, .err = err };
	int rc;

	*out = NULL;
	if (strlen(text) > HD_FILTER_BYTES)
		rc = hd_fail(err, HD_EUSAGE, "--filter: %zu bytes are too many, %d are allowed", strlen(text), HD_FILTER_BYTES);
	else
		rc = parse_list(&ps, ANY, &ps.f->root);
	skip_blanks(&ps);
	if (rc >= 0 && *ps.p)
		rc = wrong(&ps, "&& or || is wanted");
	if (rc < 0)
		hd_filter_free(ps.f);
	else
		*out = ps.f;
	return rc;
}

void hd_filter_free(struct hd_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		free(f->nodes[i].field);
		free(f->nodes[i].text);
	}
	free(f->nodes);
	hd_buf_release(&f->scratch);
	free(f);
}

const char *hd_filter_field(const struct hd_filter *f, size_t i)
{
	for (size_t k = 0; k < f->n; k++)
		if (f->nodes[k].kind == COMPARE && !i--)
			return f->nodes[k].field;
	return NULL;
}

/* ---- binding ---- */

/* Can its values be compared so?  NULL, or why not. */
static const char *unfit(const struct node *node, const struct hd_field_at *at)
{
	if (at->source == HD_FIELD_TIME)
		return node->is_time && node->op != OP_GLOB && node->op != OP_BITS ? NULL : "is compared with seconds of the recording's clock";
	if (at->source == HD_FIELD_CGROUP && node->is_number)
		return node->op == OP_EQ || node->op == OP_NE ? NULL : "is a text, or compared by == and != with an id";
	if (hd_field_is_text(at))
		return node->op == OP_EQ || node->op == OP_NE || node->op == OP_GLOB ? NULL : "is a text, which ==, != and ~ compare";
	if (node->op == OP_GLOB)
		return "is a number, and ~ compares texts";
	return node->is_number ? NULL : "is a number, and compared with one";
}

static int bind(struct node *node, struct hd_fields *fs, const bool *wanted, struct hd_err *err)
{
	size_t nattrs;
	const char *why = NULL;
	bool fits = false;
	int rc = hd_fields_find(&node->at, fs, node->field, "--filter", wanted, err);

	if (rc < 0)
		return rc;
	hd_perf_attrs(fs->pf, &nattrs);
	for (size_t i = 0; i < nattrs; i++) {
		const char *no;

		if (node->at->at[i].source == HD_FIELD_ABSENT)
			continue;
		no = unfit(node, &node->at->at[i]);
		if (no)
			node->at->at[i].source = HD_FIELD_ABSENT;	/* of other events it may be another thing */
		if (no && wanted[i])
			why = no;
		fits |= !no && wanted[i];
	}
	return fits ? 0 : hd_fail(err, HD_EUSAGE, "--filter: %s %s, not '%.100s'", node->field, why, node->text);
}

int hd_filter_bind(struct hd_filter *f, struct hd_fields *fs, const bool *wanted, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->n && rc >= 0; i++)
		if (f->nodes[i].kind == COMPARE)
			rc = bind(&f->nodes[i], fs, wanted, err);
	return rc;
}

/* ---- matching ---- */

static enum truth truth(bool is)
{
	return is ? TRUE : FALSE;
}

static struct whole whole_of(const struct hd_field_value *v)
{
	if (v->kind == HD_VALUE_SIGNED && (int64_t)v->number < 0)
		return (struct whole){ true, 0 - v->number };
	return (struct whole){ false, v->number };
}

/* Below, equal, above: -1, 0, 1. */
static int order(struct whole a, struct whole b)
{
	int c = a.magnitude < b.magnitude ? -1 : a.magnitude > b.magnitude;

	if (a.below != b.below)
		return a.below ? -1 : 1;
	return a.below ? -c : c;
}

static enum truth compare_numbers(enum op op, struct whole a, struct whole b)
{
	int c = order(a, b);

	switch (op) {
	case OP_EQ:
		return truth(c == 0);
	case OP_NE:
		return truth(c != 0);
	case OP_LT:
		return truth(c < 0);
	case OP_LE:
		return truth(c <= 0);
	case OP_GT:
		return truth(c > 0);
	case OP_GE:
		return truth(c >= 0);
	case OP_BITS:
		return truth(((a.below ? 0 - a.magnitude : a.magnitude) & (b.below ? 0 - b.magnitude : b.magnitude)) != 0);
	case OP_GLOB:
		break;
	}
	return UNKNOWN;
}

static enum truth compare_texts(const struct node *node, const char *s, size_t n)
{
	bool same = n == node->len && !memcmp(s, node->text, n);

	return node->op == OP_GLOB ? truth(hd_glob(node->text, node->len, s, n)) : truth(same == (node->op == OP_EQ));
}

struct asked {
	struct hd_filter *f;
	const struct hd_fields *fs;
	const struct hd_sample *s;
	const char *comm, *event;
};

static enum truth compare(const struct asked *q, const struct node *node)
{
	enum hd_field_source source = node->at->at[q->s->attr].source;
	struct hd_field_value v;

	if (source == HD_FIELD_COMM || source == HD_FIELD_EVENT) {
		const char *text = source == HD_FIELD_COMM ? q->comm : q->event;

		return text ? compare_texts(node, text, strlen(text)) : UNKNOWN;
	}
	if (!hd_field_get(node->at, q->fs, q->s, &q->f->scratch, &v))
		return UNKNOWN;
	if (source == HD_FIELD_TIME)
		return compare_numbers(node->op, whole_of(&v), (struct whole){ false, node->time_ns });
	if (source == HD_FIELD_CGROUP && node->is_number)
		return compare_numbers(node->op, (struct whole){ false, v.number }, node->number);
	if (v.kind == HD_VALUE_NAMELESS)
		return UNKNOWN;
	return v.kind == HD_VALUE_TEXT ? compare_texts(node, v.text, v.len) : compare_numbers(node->op, whole_of(&v), node->number);
}

/* As deep as the text nests. */
static enum truth judge(const struct asked *q, uint32_t at)
{
	const struct node *node = &q->f->nodes[at - 1];
	enum truth t;

	switch (node->kind) {
	case COMPARE:
		return compare(q, node);
	case NOT:
		return (enum truth)(TRUE - judge(q, node->first));
	case ALL:
		t = TRUE;
		for (uint32_t i = node->first; i && t != FALSE; i = q->f->nodes[i - 1].next) {
			enum truth part = judge(q, i);

			t = part < t ? part : t;
		}
		return t;
	case ANY:
		break;
	}
	t = FALSE;
	for (uint32_t i = node->first; i && t != TRUE; i = q->f->nodes[i - 1].next) {
		enum truth part = judge(q, i);

		t = part > t ? part : t;
	}
	return t;
}

bool hd_filter_match(struct hd_filter *f, const struct hd_fields *fs, const struct hd_sample *s, const char *comm, const char *event)
{
	struct asked q = { f, fs, s, comm, event };

	return judge(&q, f->root) == TRUE;
}
