/*
 * unload.c LIBRARY - a thread uses libhotdrift, the library is closed, and the thread exits
 *
 * A thread that exits calls a destructor in the library, so the library must still be mapped, and it must still have
 * the operations that the thread has left open.  The program opens the library again, and prints the operation with the
 * most calls, the number of these calls, and the number of unbalanced calls.
 */
#include <hotdrift.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int (*start)(struct hd_profiler *, const char *);
static int (*stop)(struct hd_profiler *, const char *);
static pthread_barrier_t used, closed;

static void find(void *library, const char *name, void *function)
{
	void *f = dlsym(library, name);

	memcpy(function, &f, sizeof(f));
}

static void *use(void *unused)
{
	(void)unused;
	start(HD_GLOBAL, "left open");
	start(HD_GLOBAL, "ended");
	stop(HD_GLOBAL, "ended");
	pthread_barrier_wait(&used);
	pthread_barrier_wait(&closed);
	return NULL;
}

int main(int argc, char **argv)
{
	void *library = dlopen(argc == 2 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	int64_t (*ops)(struct hd_profiler *, enum hd_op_order, struct hd_op *, size_t);
	uint64_t (*unbalanced)(struct hd_profiler *);
	struct hd_op op;
	pthread_t t;

	if (!library)
		return 2;
	find(library, "hd_op_start", &start);
	find(library, "hd_op_stop", &stop);
	pthread_barrier_init(&used, NULL, 2);
	pthread_barrier_init(&closed, NULL, 2);
	if (!start || !stop || pthread_create(&t, NULL, use, NULL) != 0)
		return 2;
	pthread_barrier_wait(&used);
	dlclose(library);
	pthread_barrier_wait(&closed);
	pthread_join(t, NULL);
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 2;
	find(library, "hd_ops", &ops);
	find(library, "hd_ops_unbalanced", &unbalanced);
	if (!ops || !unbalanced || ops(HD_GLOBAL, HD_OPS_BY_CALLS, &op, 1) < 1)
		return 2;
	printf("%s %llu, unbalanced %llu\n", op.name, (unsigned long long)op.count,
	       (unsigned long long)unbalanced(HD_GLOBAL));
	return 0;
}
