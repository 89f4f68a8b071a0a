/* parse.c - parse tokens into a syntax tree by recursive descent, with one function for each level of precedence */
#include "rill.h"

#include <stdlib.h>

struct parser {
	struct lexer lx;
	struct tree *tree;
};

static struct node *expression(struct parser *p);
static struct node *block(struct parser *p);

static struct node *node_new(struct parser *p, enum node_kind kind)
{
	struct tree *t = p->tree;

	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->chunks = grow(t->chunks, t->cap * sizeof(*t->chunks));
	}
	struct node *node = t->chunks[t->n++] = calloc(1, sizeof(*node));
	if (!node)
		die("no memory");
	node->kind = kind;
	node->text = p->lx.text;
	node->len = p->lx.len;
	node->number = p->lx.number;
	return node;
}

void tree_release(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		free(tree->chunks[i]);
	free(tree->chunks);
}

static bool accept(struct parser *p, int token)
{
	if (p->lx.token != token)
		return false;
	lex_next(&p->lx);
	return true;
}

static void expect(struct parser *p, int token)
{
	if (!accept(p, token))
		die("the program is not of the language");
}

/* Parse expressions that are separated by commas, up to the token `end`. */
static struct node *items(struct parser *p, int end)
{
	struct node *first = NULL, **last = &first;

	while (!accept(p, end)) {
		*last = expression(p);
		last = &(*last)->next;
		if (p->lx.token != end)
			expect(p, ',');
	}
	return first;
}

static struct node *primary(struct parser *p)
{
	struct node *node;

	switch (p->lx.token) {
	case T_NUMBER: node = node_new(p, N_NUMBER); break;
	case T_STRING: node = node_new(p, N_STRING); break;
	case T_NAME: node = node_new(p, N_NAME); break;
	case '[':
		node = node_new(p, N_LIST);
		lex_next(&p->lx);
		node->list = items(p, ']');
		return node;
	case '(':
		lex_next(&p->lx);
		node = expression(p);
		expect(p, ')');
		return node;
	default: die("an expression is missing");
	}
	lex_next(&p->lx);
	return node;
}

static struct node *postfix(struct parser *p)
{
	struct node *node = primary(p);

	for (;;) {
		struct node *outer;

		if (p->lx.token == '(') {
			outer = node_new(p, N_CALL);
			lex_next(&p->lx);
			outer->list = items(p, ')');
		} else if (p->lx.token == '[') {
			outer = node_new(p, N_INDEX);
			lex_next(&p->lx);
			outer->kid[1] = expression(p);
			expect(p, ']');
		} else {
			return node;
		}
		outer->kid[0] = node;
		node = outer;
	}
}

static struct node *unary(struct parser *p)
{
	if (p->lx.token == '-' || p->lx.token == '!') {
		struct node *node = node_new(p, p->lx.token == '-' ? N_NEGATE : N_NOT);

		lex_next(&p->lx);
		node->kid[0] = unary(p);
		return node;
	}
	return postfix(p);
}

static struct node *binary(struct parser *p, struct node *left, struct node *(*tighter)(struct parser *p))
{
	struct node *node = node_new(p, N_BINARY);

	node->op = p->lx.token;
	lex_next(&p->lx);
	node->kid[0] = left;
	node->kid[1] = tighter(p);
	return node;
}

static struct node *product(struct parser *p)
{
	struct node *node = unary(p);

	while (p->lx.token == '*' || p->lx.token == '/' || p->lx.token == '%')
		node = binary(p, node, unary);
	return node;
}

static struct node *sum(struct parser *p)
{
	struct node *node = product(p);

	while (p->lx.token == '+' || p->lx.token == '-')
		node = binary(p, node, product);
	return node;
}

static struct node *comparison(struct parser *p)
{
	struct node *node = sum(p);

	while (p->lx.token == '<' || p->lx.token == '>' || (p->lx.token >= T_LE && p->lx.token <= T_NE))
		node = binary(p, node, sum);
	return node;
}

static struct node *conjunction(struct parser *p)
{
	struct node *node = comparison(p);

	while (p->lx.token == T_AND)
		node = binary(p, node, comparison);
	return node;
}

static struct node *expression(struct parser *p)
{
	struct node *node = conjunction(p);

	while (p->lx.token == T_OR)
		node = binary(p, node, conjunction);
	return node;
}

static struct node *function(struct parser *p)
{
	struct node *node = node_new(p, N_FN), **last = &node->list;

	expect(p, T_NAME);
	expect(p, '(');
	while (!accept(p, ')')) {
		*last = node_new(p, N_NAME);
		last = &(*last)->next;
		expect(p, T_NAME);
		if (p->lx.token != ')')
			expect(p, ',');
	}
	node->kid[0] = block(p);
	return node;
}

static struct node *condition(struct parser *p, enum node_kind kind)
{
	struct node *node = node_new(p, kind);

	expect(p, '(');
	node->kid[0] = expression(p);
	expect(p, ')');
	node->kid[1] = block(p);
	if (kind == N_IF && accept(p, T_ELSE))
		node->kid[2] = p->lx.token == T_IF ? (lex_next(&p->lx), condition(p, N_IF)) : block(p);
	return node;
}

static struct node *simple(struct parser *p)
{
	struct node *left = expression(p), *node;

	node = node_new(p, N_EXPR);
	if (accept(p, '=')) {
		if (left->kind == N_NAME)
			node->kind = N_ASSIGN;
		else if (left->kind == N_INDEX)
			node->kind = N_STORE;
		else
			die("this cannot be assigned to");
		node->kid[1] = expression(p);
	}
	node->kid[0] = left;
	expect(p, ';');
	return node;
}

static struct node *statement(struct parser *p)
{
	struct node *node;

	if (accept(p, T_FN))
		return function(p);
	if (accept(p, T_IF))
		return condition(p, N_IF);
	if (accept(p, T_WHILE))
		return condition(p, N_WHILE);
	if (accept(p, T_LET)) {
		node = node_new(p, N_LET);
		expect(p, T_NAME);
		expect(p, '=');
	} else if (accept(p, T_RETURN)) {
		node = node_new(p, N_RETURN);
	} else {
		return simple(p);
	}
	node->kid[0] = expression(p);
	expect(p, ';');
	return node;
}

static struct node *statements(struct parser *p, int end)
{
	struct node *node = node_new(p, N_BLOCK), **last = &node->list;

	while (!accept(p, end)) {
		*last = statement(p);
		last = &(*last)->next;
	}
	return node;
}

static struct node *block(struct parser *p)
{
	expect(p, '{');
	return statements(p, '}');
}

struct node *parse(struct tree *tree, const char *source)
{
	struct parser p = { .lx = { .at = source }, .tree = tree };

	lex_next(&p.lx);
	return statements(&p, T_END);
}
