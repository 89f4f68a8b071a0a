/*
 * fuzz_power.c - write any text to a synthetic sysfs tree, and read its power sensors while it changes
 *
 * A line of the input is a letter and a text.  The letter selects an entry of files[] ('a' is the first one), and the
 * text becomes the contents of this file, with each "!" replaced by a newline.  A "-" before the letter removes the
 * file.  A line "+" advances the clock by 50 ms and reads all domains; the first such line opens the sensors.
 * Invariants: each sample has the time of its read, watts and joules are finite and not negative, counters never fall,
 * no two domains of a source have one name, and each source or domain that cannot be used has a reason.
 */
#include "track/power.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { READS_MAX = 64, LINES_MAX = 512 };

static char root[] = "/tmp/hd-fuzz-power.XXXXXX";

/* A folder comes before its subfolders, because set_up() makes the folders in this order. */
static const char *const folders[] = {
	"class", "class/powercap", "class/powercap/intel-rapl:0", "class/powercap/intel-rapl:0/intel-rapl:0:0",
	"class/powercap/intel-rapl-mmio:0",
	"class/hwmon", "class/hwmon/hwmon0", "class/power_supply", "class/power_supply/BAT0",
};

static const char *const files[] = {
	"class/powercap/intel-rapl:0/name",
	"class/powercap/intel-rapl:0/energy_uj",
	"class/powercap/intel-rapl:0/max_energy_range_uj",
	"class/powercap/intel-rapl:0/intel-rapl:0:0/name",
	"class/powercap/intel-rapl:0/intel-rapl:0:0/energy_uj",
	"class/powercap/intel-rapl:0/intel-rapl:0:0/max_energy_range_uj",
	"class/powercap/intel-rapl-mmio:0/name",
	"class/powercap/intel-rapl-mmio:0/energy_uj",
	"class/powercap/intel-rapl-mmio:0/max_energy_range_uj",
	"class/hwmon/hwmon0/name",
	"class/hwmon/hwmon0/power1_label",
	"class/hwmon/hwmon0/power1_input",
	"class/hwmon/hwmon0/power1_average",
	"class/hwmon/hwmon0/energy1_input",
	"class/hwmon/hwmon0/energy2_input",
	"class/power_supply/BAT0/type",
	"class/power_supply/BAT0/scope",
	"class/power_supply/BAT0/status",
	"class/power_supply/BAT0/power_now",
	"class/power_supply/BAT0/current_now",
	"class/power_supply/BAT0/voltage_now",
};

enum { FOLDERS = sizeof(folders) / sizeof(folders[0]), FILES = sizeof(files) / sizeof(files[0]) };

static const char *path_of(const char *name)
{
	static char path[sizeof(root) + 128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void clear(void)
{
	for (int i = 0; i < FILES; i++)
		unlink(path_of(files[i]));
}

static void clean_up(void)
{
	clear();
	for (int i = FOLDERS; i-- > 0; )
		rmdir(path_of(folders[i]));
	rmdir(root);
}

static void set_up(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	assert(mkdtemp(root));
	atexit(clean_up);
	for (int i = 0; i < FOLDERS; i++)
		assert(mkdir(path_of(folders[i]), 0700) == 0);
}

static void put(const char *name, const char *s, size_t n)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t len;

	assert(fd >= 0);
	for (; n; s += len, n -= len) {
		len = *s == '!' ? 1 : strcspn(s, "!") < n ? strcspn(s, "!") : n;
		assert(write(fd, *s == '!' ? "\n" : s, len) == (ssize_t)len);
	}
	close(fd);
}

static uint64_t now(void *arg)
{
	return *(uint64_t *)arg;
}

static void check_sources(struct hd_power_meter *m)
{
	for (size_t i = 0; i < hd_power_sources(m); i++)
		assert(hd_power_source(m, i)->state == HD_POWER_USABLE || hd_power_source(m, i)->why[0]);
	for (size_t i = 0; i < hd_power_domains(m); i++) {
		const struct hd_power_domain *d = hd_power_domain(m, i);

		assert(d->state == HD_POWER_USABLE ? d->has_watts || d->has_joules : d->why[0]);
		for (size_t k = 0; k < i; k++)
			assert(strcmp(hd_power_domain(m, k)->source, d->source) != 0 ||
				strcmp(hd_power_domain(m, k)->name, d->name) != 0);
	}
}

static void check_samples(struct hd_power_meter *m, const struct hd_power_sample *s, size_t n, double *joules,
			  uint64_t t_ns)
{
	assert(n <= hd_power_usable(m));
	for (size_t i = 0; i < n; i++) {
		const struct hd_power_domain *d = hd_power_domain(m, s[i].domain);

		assert(s[i].t_ns == t_ns && d->state == HD_POWER_USABLE && d->reads >= d->fresh + d->failed);
		assert(!isnan(s[i].watts) || !isnan(s[i].joules_cum));
		assert(isnan(s[i].watts) || (s[i].watts >= 0 && isfinite(s[i].watts) && d->has_watts));
		if (isnan(s[i].joules_cum))
			continue;
		assert(isfinite(s[i].joules_cum) && s[i].joules_cum >= joules[s[i].domain] && d->has_joules);
		joules[s[i].domain] = s[i].joules_cum;
	}
}

static void run(char *text)
{
	uint64_t clock = 1000000000;
	struct hd_power_config config = {
		.sysfs = root, .nvml = "/nonexistent", .constant_watts = NAN, .now_ns = now, .now_arg = &clock
	};
	struct hd_power_sample out[32];
	struct hd_power_meter *m = NULL;
	double joules[32] = { 0 };
	int reads = 0, lines = 0;

	for (char *line = text, *next; *line && reads < READS_MAX && lines++ < LINES_MAX; line = next) {
		size_t n = strcspn(line, "\n");
		bool gone = *line == '-';
		int file = line[gone] - 'a';

		next = line + n + (line[n] == '\n');
		if (*line == '+') {
			if (!m)
				assert(hd_power_open(&m, &config) == 0);
			if (!reads++)
				check_sources(m);
			clock += 50000000;
			check_samples(m, out, hd_power_read(m, HD_POWER_ALL, out), joules, clock);
		} else if (file >= 0 && file < FILES && gone) {
			unlink(path_of(files[file]));
		} else if (file >= 0 && file < FILES) {
			put(files[file], line + 1, n - 1);
		}
	}
	hd_power_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	set_up();
	run(text);
	clear();
	free(text);
	return 0;
}
