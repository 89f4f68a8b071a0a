/*
 * replay.c - run a fuzz target over files, without a fuzzer
 *
 *     fuzz_perfdata FILE|FOLDER...
 *
 * The files of a folder are run in order of their names.  The program prints the number of inputs.  With the
 * environment variable V, it prints the path of each input before it runs it, so the last path is that of a crash.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int inputs;

static void run_file(const char *path, size_t size)
{
	/* The buffer has exactly the size of the input, so that a sanitizer detects reads past its end. */
	uint8_t *data = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");

	if (!data || !f || fread(data, 1, size, f) != size) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	fclose(f);
	if (getenv("V"))
		fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	inputs++;
}

static void run(const char *path)
{
	struct dirent **names;
	struct stat st;
	int n;

	if (stat(path, &st) < 0) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	if (!S_ISDIR(st.st_mode)) {
		run_file(path, (size_t)st.st_size);
		return;
	}
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(path) + strlen(names[i]->d_name) + 2;
		char *sub = malloc(len);

		snprintf(sub, len, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			run(sub);
		free(sub);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run(argv[i]);
	printf("%u inputs\n", inputs);
	return inputs ? 0 : 1;
}
