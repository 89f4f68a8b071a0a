/*
 * app.c - a program that launches 600 kernels on several call paths, through the stand-in for libcupti
 *
 *     app run [THREADS]       600 launches (600 more in each of THREADS threads), a graph, copies; ends with status 3
 *     app kill | abort | _exit    the same; then it waits until the trace has been written, and ends this way
 *     app fork | exec         the same; then a child launches a kernel and exits, or the program executes `echo`
 *     app closed FILE         closes all descriptors but 9, and opens FILE 64 times, so that it gets their numbers
 *     app plugin A B          loads two libraries after the first launches, one after the other; they launch, too
 *     app chdir               changes to another folder first
 *     app descriptors         cannot open a file while it launches
 *     app full                cannot open a file while it first launches, for so long that the trace has no room
 *     app quiet               launches nothing
 *
 * Like the CUDA driver, it loads the library that CUDA_INJECTION64_PATH names.  Without that variable it makes the same
 * calls, and nothing records them.  It writes the true folded stacks from main() on, with their times in ns, to
 * descriptor 9 if that is open.  Its standard output is the same with and without the library.
 */
#include "gpu/standin/standin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_attribute) && __has_attribute(noclone)
#define CALLED __attribute__((noinline, noclone))
#else
#define CALLED __attribute__((noinline))
#endif
/* A call that cannot become a tail call, because something follows it. */
#define CALL(x) do { x; __asm__ volatile("" ::: "memory"); } while (0)

/* CUPTI's callback IDs of functions: first of the runtime API, then (DRIVER_) of the driver API. */
enum { LAUNCH_KERNEL = 211, GRAPH_LAUNCH = 311, MEMCPY = 31, MEMSET = 49, SYNCHRONIZE = 165, MEMCPY_PEER = 160,
	DRIVER_LAUNCH = 307, DRIVER_MEMCPY = 276 };

static void (*work)(const struct standin_work *);
static unsigned int (*flushes)(void);

static void load(void)
{
	const char *inject = getenv("CUDA_INJECTION64_PATH"), *cupti = getenv("HOTDRIFT_CUPTI");
	void *lib = inject ? dlopen(inject, RTLD_NOW) : NULL;
	int (*begin)(void) = NULL;

	if (lib)
		*(void **)&begin = dlsym(lib, "InitializeInjection");
	if (begin)
		begin();
	lib = cupti ? dlopen(cupti, RTLD_NOW | RTLD_NOLOAD) : NULL;
	if (!lib)
		return;
	*(void **)&work = dlsym(lib, "standin_work");
	*(void **)&flushes = dlsym(lib, "standin_flushes");
}

/* ---- the CUDA API: recorded stacks end before these functions ---- */

CALLED void cudaLaunchKernel(const char *kernel, uint64_t ns)
{
	if (work)
		CALL(work(&(struct standin_work){ .runtime = LAUNCH_KERNEL, .driver = DRIVER_LAUNCH, .kernels = 1,
						  .kernel = kernel, .ns = ns }));
}

CALLED void cuLaunchKernel(const char *kernel, uint64_t ns)
{
	if (work)
		CALL(work(&(struct standin_work){ .driver = DRIVER_LAUNCH,
			.kernels = 1,
			.kernel = kernel,
			.ns = ns,
			.stream = 7 }));
}

CALLED void cudaGraphLaunch(const char *kernel, uint64_t ns)
{
	if (work)
		CALL(work(&(struct standin_work){ .runtime = GRAPH_LAUNCH, .kernels = 5, .kernel = kernel, .ns = ns }));
}

CALLED void cudaMemcpy(uint8_t kind, uint64_t bytes, uint64_t ns)
{
	if (work)
		CALL(work(&(struct standin_work){ .runtime = MEMCPY,
			.driver = DRIVER_MEMCPY,
			.copy = kind,
			.bytes = bytes,
			.ns = ns }));
}

/* ---- the program ---- */

CALLED void gemm(uint64_t ns)
{
	CALL(cudaLaunchKernel("_Z4tileIfEvPKT_PS0_i", ns));
}

CALLED void softmax(void)
{
	CALL(cudaLaunchKernel("_Z12softmax_rowsPf", 700));
}

CALLED void raw(void)
{
	CALL(cuLaunchKernel("raw_kernel", 300));
}

CALLED void tree(int depth)
{
	if (depth)
		CALL(tree(depth - 1));
	else
		CALL(cudaLaunchKernel("leaf_kernel", 900));
}

CALLED void train(void)
{
	for (int i = 0; i < 240; i++)
		CALL(gemm(1000));
	for (int i = 0; i < 120; i++)
		CALL(softmax());
}

CALLED void eval(void)
{
	for (int i = 0; i < 120; i++)
		CALL(gemm(1100));
	for (int i = 0; i < 60; i++)
		CALL(raw());
	for (int i = 0; i < 60; i++)
		CALL(tree(3));
}

CALLED void replay(void)
{
	for (int i = 0; i < 10; i++)
		CALL(cudaGraphLaunch("node_kernel", 200));
}

CALLED void move(void)
{
	for (int i = 0; i < 8; i++)
		CALL(cudaMemcpy(1, 4096, 500));
	CALL(cudaMemcpy(2, 1000, 50));
	if (work) {
		CALL(work(&(struct standin_work){ .runtime = MEMCPY_PEER, .between = 1, .bytes = 64, .ns = 40 }));
		CALL(work(&(struct standin_work){ .runtime = MEMSET, .set = 1, .bytes = 100, .ns = 60 }));
		CALL(work(&(struct standin_work){ .runtime = SYNCHRONIZE, .sync = 3, .ns = 5000 }));
		if (getenv("STANDIN_STRANGE"))
			CALL(work(&(struct standin_work){ .strange = 1 }));
	}
}

static void launch_all(void)
{
	train();
	eval();
}

static void *worker(void *arg)
{
	launch_all();
	return arg;
}

/* Write the expected stacks of `n` threads with the same launches.  root: their outermost function. */
static void truth(const char *root, int n)
{
	static const struct { const char *path; int ns; } paths[] = {
		{ "train;gemm;[GPU];tile", 240000 }, { "train;softmax;[GPU];softmax_rows", 84000 },
		{ "eval;gemm;[GPU];tile", 132000 },
		{ "eval;raw;[GPU];raw_kernel", 18000 }, { "eval;tree;tree;tree;tree;[GPU];leaf_kernel", 54000 },
	};

	for (size_t i = 0; n && i < sizeof(paths) / sizeof(paths[0]); i++)
		dprintf(9, "%s;%s %d\n", root, paths[i].path, n * paths[i].ns);
}

/*
 * Wait until the library has written its data, which it does about once a second.  When the second
 * flush from now begins, the data of the first one has been written.
 */
static void wait_until_written(void)
{
	unsigned int seen = flushes ? flushes() : 0;

	while (flushes && flushes() < seen + 2)
		usleep(1000);
}

/*
 * Load a library, call its plugin_run() and close it.  Returns the address of plugin_run(), for a comparison with the
 * next.
 */
CALLED void *run_plugin(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*run)(void (*)(const char *, uint64_t)) = NULL;

	if (lib)
		*(void **)&run = dlsym(lib, "plugin_run");
	if (run)
		CALL(run(cudaLaunchKernel));
	if (lib)
		dlclose(lib);
	return *(void **)&run;
}

static void limit(rlim_t descriptors)
{
	struct rlimit l;

	getrlimit(RLIMIT_NOFILE, &l);
	l.rlim_cur = descriptors;
	setrlimit(RLIMIT_NOFILE, &l);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "run";
	int threads = !strcmp(what, "run") && argc > 2 ? atoi(argv[2]) : 0, status;
	pthread_t id[64];

	load();
	printf("app %s begins\n", what);
	fflush(stdout);
	if (!strcmp(what, "quiet"))
		return 3;
	if (!strcmp(what, "chdir"))
		printf("chdir: %d\n", chdir("/"));
	if (!strcmp(what, "closed")) {
		for (int fd = 3; fd < 256; fd++)
			if (fd != 9)
				close(fd);
		for (int i = 0; i < 64; i++)
			status = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
	}
	if (!strcmp(what, "descriptors"))
		limit(0);
	if (!strcmp(what, "full")) {
		/* The trace has no room left for the stack of raw() and for the name of its kernel. */
		limit(0);
		for (int i = 0; i < 4000; i++)
			CALL(softmax());
		for (int i = 0; i < 4000; i++)
			CALL(raw());
		limit(1024);
		raw();
	}
	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&id[i], NULL, worker, NULL);
	train();
	eval();
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(id[i], NULL);
	replay();
	move();
	if (!strcmp(what, "descriptors"))
		limit(1024);
	truth("main", 1);
	truth("worker", threads);
	dprintf(9, "main;replay;[GPU];node_kernel 10000\n");
	if (!strcmp(what, "plugin")) {
		void *first = run_plugin(argv[2]), *second = run_plugin(argv[3]);

		dprintf(9, "main;run_plugin;plugin_run;plugin_a;[GPU];plugin_kernel 4000\n");
		dprintf(9, "main;run_plugin;plugin_run;plugin_b;[GPU];plugin_kernel 4000\n");
		dprintf(9, "# %s\n", first == second ? "at one address" : "at two addresses");
	}
	printf("app %s launched\n", what);
	fflush(stdout);
	if (!strcmp(what, "kill") || !strcmp(what, "abort") || !strcmp(what, "_exit"))
		wait_until_written();
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "_exit"))
		_exit(4);
	if (!strcmp(what, "fork")) {
		pid_t child = fork();

		if (!child) {
			softmax();
			printf("child\n");
			exit(5);
		}
		waitpid(child, &status, 0);
		printf("child ended with %d\n", WEXITSTATUS(status));
	}
	if (!strcmp(what, "exec"))
		execlp("echo", "echo", "executed", (char *)NULL);
	return 3;
}
