/* program.c - a program that elf.c damages: it has inlined, static and recursive functions, and a function table */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *left, *right;
	int key;
};

static inline int less(const struct node *a, int key)
{
	return a->key < key;
}

__attribute__((noinline)) struct node *insert(struct node *n, int key)
{
	if (!n) {
		n = calloc(1, sizeof(*n));
		if (n)
			n->key = key;
		return n;
	}
	if (less(n, key))
		n->right = insert(n->right, key);
	else
		n->left = insert(n->left, key);
	return n;
}

static __attribute__((noinline)) long sum(const struct node *n)
{
	return n ? n->key + sum(n->left) + sum(n->right) : 0;
}

__attribute__((noinline)) long words(const char *text)
{
	long n = 0;

	for (const char *p = text; *p; p += strcspn(p, " "), p += strspn(p, " "))
		n++;
	return n;
}

static int by_key(const void *a, const void *b)
{
	return ((const struct node *)a)->key - ((const struct node *)b)->key;
}

__attribute__((noinline)) int sorted(struct node *all, size_t n)
{
	qsort(all, n, sizeof(*all), by_key);
	for (size_t i = 1; i < n; i++)
		if (!less(&all[i - 1], all[i].key + 1))
			return 0;
	return 1;
}

static long (*const table[])(const char *) = { words };

int main(int argc, char **argv)
{
	struct node *root = NULL, all[20] = { { 0 } };

	for (int i = 0; i < 20; i++) {
		root = insert(root, i * 7919 % 100);
		all[i].key = i * 31 % 17;
	}
	printf("%ld %ld %d\n", sum(root), table[0](argv[argc - 1]), sorted(all, 20));
	return 0;
}
