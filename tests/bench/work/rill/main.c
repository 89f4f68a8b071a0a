/* main.c - compile and run the program below again and again for SECONDS; usage: rill SECONDS */
#include "rill.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char program[] =
	"fn fib(n) { if (n < 2) { return n; } return fib(n - 1) + fib(n - 2); }fn random() { seed = (seed * 1103 + "
	"12345) % 65536; return seed; }fn grow(depth) { if (depth == 0 or random() % 7 == 0) { return random(); }  "
	"return [grow(depth - 1), grow(depth - 1), grow(depth - 1)]; }fn is_leaf(t) { return t == t + 0; }fn total(t, "
	"depth) { if (depth == 0) { return 1; } let s = 0; let i = 0;  while (i < len(t)) { s = s + deep(t[i], depth - "
	"1); i = i + 1; } return s; }fn deep(t, depth) { if (depth <= 0) { return 1; } return total([t, t], depth); "
	"}fn less(a, b) { return a < b; }fn by_length(a, b) { if (len(a) == len(b)) { return a < b; } return len(a) < "
	"len(b); }fn words(n) { let l = []; let i = 0; while (i < n) { push(l, 'w' + random() % 997 + 'x' ); i = i + "
	"1; } return l; }fn count(l) { let t = table(); let i = 0; while (i < len(l)) { let had = t[l[i]];  if (had) { "
	"t[l[i]] = had + 1; } else { t[l[i]] = 1; } i = i + 1; } return t; }fn safe(q, row, col) { let i = 0; while (i "
	"< row) { let d = q[i] - col;  if (d == 0 or d == row - i or d == i - row) { return 0; } i = i + 1; } return "
	"1; }fn queens(q, row, n) { if (row == n) { return 1; } let found = 0; let col = 0;  while (col < n) { if "
	"(safe(q, row, col)) { q[row] = col; found = found + queens(q, row + 1, n); } col = col + 1; }  return found; "
	"}fn expression(s, depth) { if (depth == 0) { return s + random() % 10; }  return expression(s + '(' , depth - "
	"1) + '+)' ; }fn hailstone(n) { let steps = 0; while (n > 1) { if (n % 2 == 0) { n = n / 2; } else { n = 3 * n "
	"+ 1; } steps = steps + 1; }  return steps; }fn search(l) { let i = 0; let hits = 0; while (i < len(l)) {  if "
	"(match('@#*9.*x', l[i]) or match('.*#.*#x', l[i])) { hits = hits + 1; } i = i + 1; } return hits; }seed = "
	"17;let sum = fib(16);let tree = grow(6);sum = sum + deep(tree, 8);let l = words(1500);let sorted = sort(l, "
	"by_length);let lengths = sort(map(sorted, len), less);let seen = count(sorted);sum = sum + search(l) + "
	"len(lengths) + seen[sorted[0]];sum = sum + queens([0, 0, 0, 0, 0, 0], 0, 6);let numbers = []; let k = 1; "
	"while (k < 300) { push(numbers, k); k = k + 1; }let steps = map(numbers, hailstone); sum = sum + "
	"steps[26];expression('', 20);";

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, sum = 0;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	unsigned rounds = 0;

	do {
		struct vm vm;
		struct value *v;

		vm_init(&vm);
		vm_run_text(&vm, program);
		v = table_find(vm.globals, string_new(&vm, "sum", 3).object);
		sum = v ? v->number : -1;
		vm_release(&vm);
		rounds++;
	} while (clock() < end);
	printf("%u rounds, sum %g\n", rounds, sum);
	return 0;
}
