/*
 * places.c - write hostile names into unusual places of a recording, and into files that are read with it
 *
 *     mmap2.data      paths of MMAP2 records                 ksymbol.data    names of KSYMBOL records
 *     update.data     names of EVENT_UPDATE records (pipe)   trace.data      names in the formats of tracepoints
 *     kallsyms.data   symbols of OUT/kallsyms                cgroup.data     paths of CGROUP records (not printed)
 *     link.data       files whose .gnu_debuglink has the name
 */
#include "plants.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL UINT64_C(0xffffffff81000000)

static void plant_mmap2(const char *dir, const struct name *names, size_t n)
{
	struct bytes data = { 0 };

	comm(&data, PID, &app);
	for (size_t i = 0; i < n; i++) {
		uint64_t ip = BASE + STEP * i;
		size_t at;

		if (!fits("mmap2", &names[i]))
			continue;
		at = begin(&data, RECORD_MMAP2, MISC_USER);
		put32(&data, PID);
		put32(&data, PID);
		put64(&data, ip);
		put64(&data, STEP);
		put64(&data, 0);
		put64(&data, 0);
		put64(&data, i + 1);		/* inode */
		put64(&data, 0);
		put32(&data, 5);
		put32(&data, 2);
		put(&data, names[i].raw.p, names[i].raw.n + 1);
		finish(&data, at);
		samples(&data, i + 1, 1, PID, ip);
	}
	write_recording(dir, "mmap2.data", 1, &data, NULL, 0);
	write_want(dir, "mmap2", names, n);
	free(data.p);
}

static void plant_ksymbols(const char *dir, const struct name *names, size_t n)
{
	struct bytes data = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t ip = KERNEL + 0x1000000 + 4096 * i;
		size_t at;

		if (!fits("ksymbol", &names[i]))
			continue;
		at = begin(&data, RECORD_KSYMBOL, 0);
		put64(&data, ip);
		put32(&data, 64);
		put16(&data, 1);		/* a BPF program */
		put16(&data, 0);
		put(&data, names[i].raw.p, names[i].raw.n + 1);
		finish(&data, at);
		kernel_samples(&data, i + 1, ip);
	}
	write_recording(dir, "ksymbol.data", 1, &data, NULL, 0);
	write_want(dir, "ksymbol", names, n);
	free(data.p);
}

static void plant_kallsyms(const char *dir, const struct name *names, size_t n)
{
	static const char kernel[] = "[kernel.kallsyms]_text";
	struct bytes data = { 0 }, list = { 0 };
	size_t at = begin(&data, RECORD_MMAP, MISC_KERNEL);
	char line[64];

	put32(&data, UINT32_MAX);
	put32(&data, 0);
	put64(&data, KERNEL);
	put64(&data, 0x1000000);
	put64(&data, KERNEL);
	put(&data, kernel, sizeof(kernel));
	finish(&data, at);
	put(&list, line, (size_t)snprintf(line, sizeof(line), "%llx T _text\n", (unsigned long long)KERNEL));
	for (size_t i = 0; i < n; i++) {
		uint64_t ip = KERNEL + 0x1000 + STEP * i;

		if (!fits("kallsyms", &names[i]))
			continue;
		put(&list, line, (size_t)snprintf(line, sizeof(line), "%llx t ", (unsigned long long)ip));
		put(&list, names[i].raw.p, names[i].raw.n);
		put(&list, "\n", 1);
		kernel_samples(&data, i + 1, ip);
	}
	put(&list, line,
		(size_t)snprintf(line, sizeof(line), "%llx T _etext\n", (unsigned long long)KERNEL + 0x100000));
	save(dir, "kallsyms", &list);
	write_recording(dir, "kallsyms.data", 1, &data, NULL, 0);
	write_want(dir, "kallsyms", names, n);
	free(data.p);
	free(list.p);
}

static void plant_updates(const char *dir, const struct name *names, size_t n)
{
	struct bytes b = { 0 };
	size_t at;

	put(&b, "PERFILE2", 8);
	put64(&b, 16);
	for (size_t i = 0; i < n; i++) {
		at = begin(&b, RECORD_ATTR, 0);
		attr(&b, 1, i);
		put64(&b, i + 1);
		finish(&b, at);
	}
	comm(&b, PID, &app);
	for (size_t i = 0; i < n; i++) {
		if (!fits("update", &names[i]))
			continue;
		at = begin(&b, RECORD_EVENT_UPDATE, 0);
		put64(&b, 2);			/* PERF_EVENT_UPDATE__NAME: the event has a new name */
		put64(&b, i + 1);
		put(&b, names[i].raw.p, names[i].raw.n + 1);
		finish(&b, at);
		samples(&b, i + 1, i + 1, PID, BASE);
	}
	save(dir, "update.data", &b);
	write_want(dir, "update", names, n);
	free(b.p);
}

static void sized(struct bytes *b, const struct bytes *s)
{
	put64(b, s->n);
	put(b, s->p, s->n);
}

/* Write tracing data as perf does, for one system `sys` with an event for each name. */
static void plant_tracepoints(const char *dir, const struct name *names, size_t n)
{
	static const struct bytes page = { .p = (char *)"page", .n = 4 }, event = { .p = (char *)"event", .n = 5 };
	struct feature f = { .bit = 1 };
	struct bytes data = { 0 };
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += fits("trace", &names[i]);
	put(&f.section, "\x17\x08\x44tracing0.6\0\0\10", 16);
	put32(&f.section, 4096);
	put(&f.section, "header_page", 12);
	sized(&f.section, &page);
	put(&f.section, "header_event", 13);
	sized(&f.section, &event);
	put32(&f.section, 0);
	put32(&f.section, 1);
	put(&f.section, "sys", 4);
	put32(&f.section, count);
	for (size_t i = 0; i < n; i++) {
		struct bytes format = { 0 };
		char id[32];

		if (!fits("trace", &names[i]))
			continue;
		put(&format, "name: ", 6);
		put(&format, names[i].raw.p, names[i].raw.n);
		put(&format, id, (size_t)snprintf(id, sizeof(id), "\nID: %zu\nformat:\n\n", i));
		sized(&f.section, &format);
		samples(&data, i + 1, i + 1, PID, BASE);
		free(format.p);
	}
	put32(&f.section, 0);		/* size of kallsyms */
	put32(&f.section, 0);		/* size of the printk formats */
	write_recording(dir, "trace.data", n, &data, &f, 1);
	write_want(dir, "trace", names, n);
	free(data.p);
}

static void plant_cgroups(const char *dir, const struct name *names, size_t n)
{
	struct bytes data = { 0 };

	comm(&data, PID, &app);
	for (size_t i = 0; i < n; i++) {
		if (fits("comm", &names[i])) {
			size_t at = begin(&data, RECORD_CGROUP, 0);

			put64(&data, i + 1);
			put(&data, names[i].raw.p, names[i].raw.n + 1);
			finish(&data, at);
		}
		samples(&data, 1, 1, PID, BASE);
	}
	write_recording(dir, "cgroup.data", 1, &data, NULL, 0);
	free(data.p);
}

/* Write an ELF file, /link.1, /link.2, ... of the root, that has no section but a debug link to `name`. */
static void write_link(const char *dir, const char *file, const struct bytes *name)
{
	static const char section_names[] = "\0.gnu_debuglink\0.shstrtab";
	Elf64_Ehdr head = { .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2 };
	Elf64_Phdr load = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = 4096,
		.p_memsz = 4096,
		.p_align = 4096 };
	Elf64_Shdr s[3] = { { 0 } };
	struct bytes b = { 0 };

	memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
	put(&b, &head, sizeof(head));
	put(&b, &load, sizeof(load));
	s[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = b.n, .sh_addralign = 4 };
	put(&b, name->p, name->n + 1);
	pad(&b, 4);
	put32(&b, 0x12345678);
	s[1].sh_size = b.n - s[1].sh_offset;
	s[2] = (Elf64_Shdr){ .sh_name = 16,
		.sh_type = SHT_STRTAB,
		.sh_offset = b.n,
		.sh_size = sizeof(section_names),
		.sh_addralign = 1 };
	put(&b, section_names, sizeof(section_names));
	pad(&b, 4096);
	head.e_shoff = b.n;
	memcpy(b.p, &head, sizeof(head));
	put(&b, s, sizeof(s));
	save(dir, file, &b);
	free(b.p);
}

static void plant_links(const char *dir, const struct name *names, size_t n)
{
	struct bytes data = { 0 };
	char file[64];

	comm(&data, PID, &app);
	for (size_t i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "root/link.%zu", i + 1);
		write_link(dir, file, &names[i].raw);
		map(&data, PID, BASE + 4096 * i, 4096, 0, file + 4, strlen(file + 4));
		samples(&data, 1, 1, PID, BASE + 4096 * i + 0x800);
	}
	write_recording(dir, "link.data", 1, &data, NULL, 0);
	free(data.p);
}

void plant_places(const char *dir, const struct name *names, size_t n)
{
	plant_mmap2(dir, names, n);
	plant_ksymbols(dir, names, n);
	plant_kallsyms(dir, names, n);
	plant_updates(dir, names, n);
	plant_tracepoints(dir, names, n);
	plant_cgroups(dir, names, n);
	plant_links(dir, names, n);
}
