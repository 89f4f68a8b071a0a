/*
 * rill.h - an interpreter of a small language, as a workload: a C program with deep and varied stacks
 *
 *     text -> tokens -> tree -> code -> run        lex.c parse.c emit.c run.c
 *
 * Each call of a script function is a call of run().  `sort` and `map` call back
 * into the script from an inner loop, the garbage collector marks by recursion,
 * and `match` backtracks.  The stacks are thus like those of an ordinary C program.
 *
 * A syntax error or a value of the wrong kind ends the program.
 */
#ifndef RILL_H
#define RILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- values */

enum kind { NIL, NUMBER, STRING, LIST, TABLE, FUNCTION, BUILTIN };

struct value;
struct vm;
typedef struct value (*builtin_fn)(struct vm *vm, struct value *args, int n);

struct value {
	enum kind kind;
	union {
		double number;
		struct object *object;
		builtin_fn builtin;
	};
};

struct entry {
	struct object *key;		/* a string; NULL: free */
	struct value value;
};

struct object {
	struct object *next;		/* in the list of all objects */
	enum kind kind;
	bool marked;
	union {
		struct { char *text; size_t len; uint32_t hash; };
		struct { struct value *items; size_t n, cap; };
		struct { struct entry *slots; size_t used, nslots; };
		struct code *code;
	};
};

/* ---- the tree */

enum node_kind {
	N_NUMBER, N_STRING, N_NAME, N_LIST, N_BINARY, N_NOT, N_NEGATE, N_INDEX, N_CALL,
	N_LET, N_ASSIGN, N_STORE, N_IF, N_WHILE, N_RETURN, N_BLOCK, N_FN, N_EXPR,
};

struct node {
	enum node_kind kind;
	int op;				/* of N_BINARY: a token */
	double number;
	const char *text;		/* name or string; points into the source */
	size_t len;
	struct node *kid[3];
	struct node *list, *next;	/* arguments, statements, parameters */
};

enum token {
	T_END, T_NUMBER, T_STRING, T_NAME, T_LE, T_GE, T_EQ, T_NE, T_AND, T_OR,
	T_LET, T_FN, T_IF, T_ELSE, T_WHILE, T_RETURN,
	/* a token of one character has the value of that character */
};

struct lexer {
	const char *at;
	int token;
	const char *text;
	size_t len;
	double number;
};
void lex_next(struct lexer *lx);

struct tree {
	struct node **chunks;		/* tree_release() frees the nodes */
	size_t n, cap;
};
struct node *parse(struct tree *tree, const char *source);
void tree_release(struct tree *tree);

/* ---- code */

enum op {
	OP_CONST, OP_LOCAL, OP_SET_LOCAL, OP_GLOBAL, OP_SET_GLOBAL, OP_POP, OP_LIST, OP_INDEX, OP_STORE,
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_LT, OP_LE, OP_EQ, OP_NOT, OP_NEGATE,
	OP_JUMP, OP_JUMP_IF_NOT, OP_JUMP_IF_NOT_KEEP, OP_JUMP_IF_KEEP, OP_CALL, OP_RETURN,
};

struct code {
	struct code *next;		/* in the list of all code */
	struct { uint8_t op; int32_t arg; } *ops;
	size_t n, cap;
	struct value *consts;
	size_t nconsts, consts_cap;
	int nparams, nlocals;
};
/* Compile the statements to a function without parameters.  `vm` owns the result. */
struct code *emit_program(struct vm *vm, const struct node *program);

/* ---- the machine */

struct vm {
	struct value *stack;
	size_t top;
	struct object *objects;
	size_t nobjects, collect_at;
	struct object *globals;		/* a table */
	struct code *codes;
};

enum { STACK_SLOTS = 1 << 16 };

void vm_init(struct vm *vm);
void vm_release(struct vm *vm);
struct value vm_call(struct vm *vm, struct value fn, const struct value *args, int n);
struct value vm_run_text(struct vm *vm, const char *source);
void builtins_add(struct vm *vm);
/*
 * Collect garbage if there are enough new objects.  Call it only between instructions: all live values must be on the
 * stack.
 */
void vm_collect_when_due(struct vm *vm);

struct object *object_new(struct vm *vm, enum kind kind);
struct value string_new(struct vm *vm, const char *text, size_t len);
void list_push(struct object *list, struct value v);
struct value *table_find(struct object *table, const struct object *key);
void table_put(struct object *table, struct object *key, struct value v);
bool value_equal(struct value a, struct value b);
bool value_true(struct value v);
static inline struct value number(double n) { return (struct value){ .kind = NUMBER, .number = n }; }

_Noreturn void die(const char *what);
void *grow(void *p, size_t size);

#endif
