/*
 * filter.c - see filter.h
 */
#include "pipeline/filter.h"

#include "base/glob.h"
#include "pipeline/filter_tree.h"

#include <stdlib.h>
#include <string.h>

/* Three-valued logic: a comparison with a field that the sample does not have is UNKNOWN. */
enum truth { FALSE, UNKNOWN, TRUE };

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
		if (f->nodes[k].kind == HD_FILTER_NODE_COMPARE && !i--)
			return f->nodes[k].field;
	return NULL;
}

/* ---- binding ---- */

/*
 * Return NULL if a field that is read from this place of a sample can be compared as `node` requires, else the reason
 * why not.
 */
static const char *unfit(const struct hd_filter_node *node, const struct hd_sample_field_place *at)
{
	if (at->source == HD_FIELD_TIME)
		return node->is_time && node->op != HD_FILTER_OP_GLOB && node->op != HD_FILTER_OP_BITS
			? NULL
			: "is compared with seconds of the recording's clock";
	if (at->source == HD_FIELD_CGROUP && node->is_number)
		return node->op == HD_FILTER_OP_EQ || node->op == HD_FILTER_OP_NE
			? NULL
			: "is a text, or compared by == and != with an id";
	if (hd_sample_field_is_text(at))
		return node->op == HD_FILTER_OP_EQ || node->op == HD_FILTER_OP_NE || node->op == HD_FILTER_OP_GLOB
			? NULL
			: "is a text, which ==, != and ~ compare";
	if (node->op == HD_FILTER_OP_GLOB)
		return "is a number, and ~ compares texts";
	return node->is_number ? NULL : "is a number, and compared with one";
}

static int bind(struct hd_filter_node *node, struct hd_field_table *fs, const bool *wanted, struct hd_err *err)
{
	size_t nattrs;
	const char *why = NULL;
	bool fits = false;
	int rc = hd_field_table_find(&node->at, fs, node->field, false, "--filter", wanted, err);

	if (rc < 0)
		return rc;
	hd_perf_attrs(fs->pf, &nattrs);
	for (size_t i = 0; i < nattrs; i++) {
		const char *no;

		if (node->at->at[i].source == HD_FIELD_ABSENT)
			continue;
		no = unfit(node, &node->at->at[i]);
		if (no)
			/*
			 * treat the field as absent in this event, because its type does not allow the comparison; in
			 * other events it can have another type
			 */
			node->at->at[i].source = HD_FIELD_ABSENT;
		if (no && wanted[i])
			why = no;
		fits |= !no && wanted[i];
	}
	return fits ? 0 : hd_fail(err, HD_EUSAGE, "--filter: %s %s, not '%.100s'", node->field, why, node->text);
}

int hd_filter_bind(struct hd_filter *f, struct hd_field_table *fs, const bool *wanted, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->n && rc >= 0; i++)
		if (f->nodes[i].kind == HD_FILTER_NODE_COMPARE)
			rc = bind(&f->nodes[i], fs, wanted, err);
	return rc;
}

/* ---- matching ---- */

static enum truth truth(bool is)
{
	return is ? TRUE : FALSE;
}

static struct hd_signed_magnitude whole_of(const struct hd_sample_field_value *v)
{
	if (v->kind == HD_VALUE_SIGNED && (int64_t)v->number < 0)
		return (struct hd_signed_magnitude){ true, 0 - v->number };
	return (struct hd_signed_magnitude){ false, v->number };
}

/* Return -1, 0 or 1 if a is below, equal to or above b. */
static int order(struct hd_signed_magnitude a, struct hd_signed_magnitude b)
{
	int c = a.magnitude < b.magnitude ? -1 : a.magnitude > b.magnitude;

	if (a.below != b.below)
		return a.below ? -1 : 1;
	return a.below ? -c : c;
}

static enum truth compare_numbers(enum hd_filter_op op, struct hd_signed_magnitude a, struct hd_signed_magnitude b)
{
	int c = order(a, b);

	switch (op) {
	case HD_FILTER_OP_EQ:
		return truth(c == 0);
	case HD_FILTER_OP_NE:
		return truth(c != 0);
	case HD_FILTER_OP_LT:
		return truth(c < 0);
	case HD_FILTER_OP_LE:
		return truth(c <= 0);
	case HD_FILTER_OP_GT:
		return truth(c > 0);
	case HD_FILTER_OP_GE:
		return truth(c >= 0);
	case HD_FILTER_OP_BITS:
		return truth(
			((a.below ? 0 - a.magnitude : a.magnitude) & (b.below ? 0 - b.magnitude : b.magnitude)) != 0);
	case HD_FILTER_OP_GLOB:
		break;
	}
	return UNKNOWN;
}

static enum truth compare_texts(const struct hd_filter_node *node, const char *s, size_t n)
{
	bool same = n == node->len && !memcmp(s, node->text, n);

	return node->op == HD_FILTER_OP_GLOB ? truth(hd_glob(node->text, node->len, s, n))
					     : truth(same == (node->op == HD_FILTER_OP_EQ));
}

/* The sample for which a filter is evaluated. */
struct asked {
	struct hd_filter *f;
	const struct hd_field_table *fs;
	const struct hd_sample *s;
	const char *comm, *event;
};

static enum truth compare(const struct asked *q, const struct hd_filter_node *node)
{
	enum hd_sample_field_source source = node->at->at[q->s->attr].source;
	struct hd_sample_field_value v;

	if (source == HD_FIELD_COMM || source == HD_FIELD_EVENT) {
		const char *text = source == HD_FIELD_COMM ? q->comm : q->event;

		return text ? compare_texts(node, text, strlen(text)) : UNKNOWN;
	}
	if (!hd_sample_field_get(node->at, q->fs, q->s, &q->f->scratch, &v))
		return UNKNOWN;
	if (source == HD_FIELD_TIME)
		return compare_numbers(node->op, whole_of(&v), (struct hd_signed_magnitude){ false, node->time_ns });
	if (source == HD_FIELD_CGROUP && node->is_number)
		return compare_numbers(node->op, (struct hd_signed_magnitude){ false, v.number }, node->number);
	if (v.kind == HD_VALUE_NAMELESS)
		return UNKNOWN;
	return v.kind == HD_VALUE_TEXT ? compare_texts(node, v.text, v.len)
				       : compare_numbers(node->op, whole_of(&v), node->number);
}

/* Evaluate a node.  The parser limits the depth of the recursion. */
static enum truth judge(const struct asked *q, uint32_t at)
{
	const struct hd_filter_node *node = &q->f->nodes[at - 1];
	enum truth t;

	switch (node->kind) {
	case HD_FILTER_NODE_COMPARE:
		return compare(q, node);
	case HD_FILTER_NODE_NOT:
		return (enum truth)(TRUE - judge(q, node->first));
	case HD_FILTER_NODE_ALL:
		t = TRUE;
		for (uint32_t i = node->first; i && t != FALSE; i = q->f->nodes[i - 1].next) {
			enum truth part = judge(q, i);

			t = part < t ? part : t;
		}
		return t;
	case HD_FILTER_NODE_ANY:
		break;
	}
	t = FALSE;
	for (uint32_t i = node->first; i && t != TRUE; i = q->f->nodes[i - 1].next) {
		enum truth part = judge(q, i);

		t = part > t ? part : t;
	}
	return t;
}

bool hd_filter_match(struct hd_filter *f, const struct hd_field_table *fs, const struct hd_sample *s, const char *comm,
	const char *event)
{
	struct asked q = { f, fs, s, comm, event };

	return judge(&q, f->root) == TRUE;
}
