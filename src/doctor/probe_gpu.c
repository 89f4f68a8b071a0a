/*
 * probe_gpu.c - probe what recording GPUs and energy needs
 *
 * Each test of a library of NVIDIA runs in a child process, because it may crash.  CUDA is never initialized: the tests
 * only load the library.
 */
#include "doctor/checkup.h"
#include "doctor/probe_row.h"

#include "base/mem.h"
#include "track/gpumem.h"
#include "track/power.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- libraries ---- */

/*
 * A library and the places where it is searched: only the path in `variable` if that is set; otherwise first `names`
 * for the dynamic linker, then `patterns` (for glob) of files in the usual folders.
 */
struct library {
	/* name of the environment variable that has the path of the library; NULL: none */
	const char *variable;
	const char *const *names, *const *patterns;	/* terminated by NULL */
};

static bool load(struct hd_probe *p, const char *name)
{
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	struct link_map *map;

	if (library)
		hd_probe_works(p, dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && *map->l_name ? map->l_name : name);
	return library;
}

static void try_library(struct hd_probe *p, const void *arg)
{
	const struct library *l = arg;
	const char *named = l->variable ? getenv(l->variable) : NULL;

	hd_probe_fails(p, HD_AT_FILE, ENOENT, named && *named ? named : "");
	if (named && *named) {
		load(p, named);
		return;
	}
	for (const char *const *name = l->names; *name && !p->works; name++)
		load(p, *name);
	for (const char *const *pattern = l->patterns; *pattern && !p->works; pattern++) {
		glob_t found;

		if (glob(*pattern, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc && !p->works; i++)
			load(p, found.gl_pathv[i]);
		globfree(&found);
	}
}

static const struct library cuda = {
	.names = (const char *const[]){ "libcuda.so.1", NULL },
	.patterns = (const char *const[]){ "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1",
		NULL },
};

/* The number in the name of the library is the major version of CUDA. */
static const struct library cupti = {
	.variable = "HOTDRIFT_CUPTI",
	.names = (const char *const[]){ "libcupti.so.13", "libcupti.so.12", "libcupti.so.11", "libcupti.so", NULL },
	.patterns = (const char *const[]){ "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.*",
					   "/usr/local/cuda*/lib64/libcupti.so.*",
					   "/usr/local/cuda*/targets/?*/lib/libcupti.so.*",
					   "/usr/local/lib/python3*/?*-packages/nvidia/?*/lib/libcupti.so.*",
					   "/usr/lib/python3*/?*-packages/nvidia/?*/lib/libcupti.so.*", NULL },
};

void hd_probe_run_cuda_library(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	struct hd_buf path = { 0 };

	if (hd_probe_find_library(&path, "HOTDRIFT_CUDA_LIBRARY", "libhotdrift-cuda.so"))
		hd_probe_works(p, path.data);
	else
		hd_probe_fails(p, HD_AT_FILE, ENOENT, "");
	hd_buf_release(&path);
}

/* ---- a uprobe ---- */

/* The uprobe is placed on the entry of this function. */
static __attribute__((noinline)) void probed(void)
{
	__asm__ volatile("" ::: "memory");
}

/* An address of this program, and its offset in the file, which look_up() fills in. */
struct place {
	uintptr_t at;
	uint64_t offset;
	bool known;
};

static int look_up(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct place *place = arg;

	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || place->at < begin || place->at - begin >= h->p_filesz)
			continue;
		place->offset = place->at - begin + h->p_offset;
		place->known = true;
		return 1;
	}
	return 0;
}

/*
 * Test whether uprobes work.  `perf probe` writes to uprobe_events of tracefs, and `perf record` opens the event that
 * this creates.  The test only checks whether uprobe_events is writable, and opens a uprobe by perf_event_open(2),
 * which creates nothing permanent.
 */
static void try_uprobe(struct hd_probe *p, const void *arg)
{
	const struct hd_rights *r = arg;
	struct perf_event_attr a = { .size = sizeof(a), .sample_period = 1, .disabled = 1,
				     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct place place = { .at = (uintptr_t)probed };
	struct hd_buf type = { 0 };
	struct perf_event_mmap_page *ring;
	char path[192];
	int fd, tracefs = hd_rights_open_tracefs(r);

	if (tracefs < 0 || faccessat(tracefs, "uprobe_events", W_OK, AT_EACCESS) < 0) {
		snprintf(path, sizeof(path), "%s/uprobe_events", r->tracefs);
		hd_probe_fails(p, HD_AT_FILE, errno, *r->tracefs ? path : "");
		if (tracefs >= 0)
			close(tracefs);
		return;
	}
	close(tracefs);
	dl_iterate_phdr(look_up, &place);
	if (!hd_sysfile_read(&type, "", "/sys/bus/event_source/devices/uprobe/type") || !place.known) {
		hd_buf_release(&type);
		hd_probe_fails(p, HD_AT_FILE, ENOENT, "/sys/bus/event_source/devices/uprobe/type");
		return;
	}
	a.type = (uint32_t)strtoul(type.data, NULL, 10);
	hd_buf_release(&type);
	a.config1 = (uintptr_t)"/proc/self/exe";
	a.config2 = place.offset;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ring = fd < 0 ? MAP_FAILED : mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || ring == MAP_FAILED || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		hd_probe_fails(p, fd < 0 ? HD_AT_OPEN : HD_AT_RING, errno, "");
		return;
	}
	probed();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (__atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE) > 0)
		hd_probe_works(p, "");
	else
		hd_probe_fails(p, HD_AT_RECORDS, 0, "");
}

/* ---- NVML and power sources ---- */

/*
 * Set `out` to ", driver " and the driver's version, or to "" if it is unknown.  The version is the first dotted number
 * in "... Kernel Module  550.54.14  Thu Feb 22 ...".
 */
static void driver_version(char *out, size_t size)
{
	struct hd_buf text = { 0 };

	*out = '\0';
	if (hd_sysfile_read(&text, "", "/proc/driver/nvidia/version")) {
		const char *at = text.data;

		for (size_t n; *at && !*out; at += n + strspn(at + n, " \t\n")) {
			n = strcspn(at, " \t\n");
			if (n > 3 && n < 20 && strspn(at, "0123456789.") == n && memchr(at, '.', n))
				snprintf(out, size, ", driver %.*s", (int)n, at);
		}
	}
	hd_buf_release(&text);
}

static int errno_of(enum hd_power_state s)
{
	switch (s) {
	case HD_POWER_USABLE: return 0;
	case HD_POWER_ABSENT: return ENOENT;
	case HD_POWER_DENIED: return EACCES;
	case HD_POWER_UNSUPPORTED: return EOPNOTSUPP;
	case HD_POWER_NO_LIBRARY: return ELIBACC;
	case HD_POWER_BROKEN: break;
	}
	return EIO;
}

static void no_memory(struct hd_probe *p)
{
	hd_probe_fails(p, HD_AT_FILE, ENOMEM, "");
}

/* Test whether NVML finds GPUs.  The `value` of the probe becomes the number of GPUs that report their power. */
static void try_nvml(struct hd_probe *p, const void *arg)
{
	struct hd_power_config config = hd_power_config();
	struct hd_power_meter *m;
	struct hd_gpumem_status why;
	struct hd_gpumem *g;
	char driver[32], text[sizeof(p->text)];

	if (hd_gpumem_open(&g, &config, &why) < 0 || hd_power_open(&m, &config) < 0) {
		no_memory(p);
		return;
	}
	if (!g) {
		hd_probe_fails(p, HD_AT_FILE, errno_of(why.state), why.text);
	} else {
		driver_version(driver, sizeof(driver));
		snprintf(text, sizeof(text), "%zu, the first one %s%s", hd_gpumem_devices(g),
			hd_gpumem_device(g, 0)->name, driver);
		hd_probe_works(p, text);
	}
	for (size_t i = 0; i < hd_power_sources(m); i++) {
		const struct hd_power_source *s = hd_power_source(m, i);

		for (size_t d = s->first; d < s->first + s->n && !strcmp(s->name, "nvml"); d++)
			p->value += hd_power_domain(m, d)->state == HD_POWER_USABLE;
	}
	hd_power_close(m);
	hd_gpumem_close(g);
}

/* Test the power source with the name `arg`.  The text of the probe lists the usable domains of the source. */
static void try_source(struct hd_probe *p, const void *arg)
{
	struct hd_power_config config = hd_power_config();
	struct hd_power_meter *m;
	struct hd_buf domains = { 0 };

	config.nvml = "/dev/null";	/* do not load NVML: all sources tested here are files */
	if (hd_power_open(&m, &config) < 0) {
		no_memory(p);
		return;
	}
	hd_probe_fails(p, HD_AT_FILE, ENOENT, "");
	for (size_t i = 0; i < hd_power_sources(m); i++) {
		const struct hd_power_source *s = hd_power_source(m, i);

		if (strcmp(s->name, arg))
			continue;
		for (size_t d = s->first; d < s->first + s->n; d++)
			if (hd_power_domain(m, d)->state == HD_POWER_USABLE)
				hd_buf_addf(&domains, "%s%s", domains.len ? ", " : "", hd_power_domain(m, d)->name);
		if (s->state == HD_POWER_USABLE)
			hd_probe_works(p, hd_buf_str(&domains));
		else
			hd_probe_fails(p, HD_AT_FILE, errno_of(s->state), s->why);
	}
	hd_buf_release(&domains);
	hd_power_close(m);
}

void hd_probe_run_cuda_driver(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_library, &cuda);
}

void hd_probe_run_cupti(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_library, &cupti);
}

void hd_probe_run_nvml(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_nvml, NULL);
}

void hd_probe_run_uprobe(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_uprobe, env->rights);
}

void hd_probe_run_power_source(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
{
	hd_probe_in_child(p, try_source, row->arg);
}
