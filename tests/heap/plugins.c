/* plugins.c - load two plugins, one after the other, at the same address */
#include "site.h"

#include <dlfcn.h>
#include <string.h>

static void *load(const char *path, void **where)
{
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	*where = so ? dlsym(so, "run") : NULL;
	return so;
}

int main(int argc, char **argv)
{
	void *first, *second, *so;

	if (argc != 3)
		return 2;
	so = load(argv[1], &first);
	if (!first)
		return 3;
	((void *(*)(int))first)(100);
	dlclose(so);
	so = load(argv[2], &second);
	if (!second)
		return 4;
	((void *(*)(int))second)(70);
	/* If the loader puts the plugins at different addresses, the test is skipped (77). */
	fprintf(stderr, "%s\n", first == second ? "at one address" : "apart");
	truth("leaked", "plugin_a", 100, 1100);
	truth("leaked", "plugin_b", 70, 1540);
	return first == second ? 0 : 77;
}
