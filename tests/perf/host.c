/* host.c - open a library, run it and close it, three times, so that one file has several mappings */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 0.5;
	unsigned long sum = 0;

	for (int round = 0; round < 3; round++) {
		void *lib = dlopen(argv[1], RTLD_NOW);
		unsigned long (*run)(unsigned long);
		clock_t end = clock() + (clock_t)(seconds / 3 * CLOCKS_PER_SEC);

		if (!lib) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&run = dlsym(lib, "plugin_run");
		while (clock() < end)
			sum += run(sum);
		dlclose(lib);
	}
	return sum == 42;
}
