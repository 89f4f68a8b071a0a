/*
 * make-recording.c - write recordings that contain hostile names, for run-injection.sh
 *
 *     make-recording CASES.md OUT [harmless]
 *
 * CASES.md is a list of names with their text in each output format (cases.md in
 * this folder describes its form).  Case i, counted from 1, has i samples, so the
 * number of samples in a row of a table identifies the case, whatever the row shows
 * as the name:
 *
 *     OUT/comm.data        the names of threads
 *     OUT/mmap.data        paths of mapped files
 *     OUT/elf.data         symbols of OUT/root/app, an ELF file
 *     OUT/map.data         symbols of OUT/root/tmp/perf-7.map
 *     OUT/event.data       names of events
 *     OUT/mmap2.data, ksymbol.data, kallsyms.data, update.data, trace.data, cgroup.data, link.data    places.c
 *     OUT/line.data, inline.data                                    dwarf.c
 *     OUT/header.i.data    texts of the header: host, kernel, CPU, command line
 *     OUT/input.folded     symbols in folded text
 *     OUT/deep.folded      one stack of all names, also of those that contain a NUL
 *     OUT/names            all names, each followed by a NUL
 *     OUT/want/PLANT.SINK  for each case of a plant: i, a tab, the expected text;
 *                          the sink `hex` is the name itself, in hexadecimal digits
 *
 * A name that a plant cannot contain is missing there and in the expected texts: a perf
 * map, for example, has one symbol per line, so it cannot contain a name with a line feed.
 * With `harmless` each name is replaced by h001, h002, ...
 */
#include "plants.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TRACING_DATA = 1 };

static const char *const sinks[SINKS] = { "folded", "svg", "html", "script", "sql", "csv", "json", "term", "md" };

_Noreturn void die(const char *what, const char *which)
{
	fprintf(stderr, "make-recording: error: %s: %s\n", which, what);
	exit(1);
}

void put(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n + 1 > b->cap) {
		b->cap = 2 * (b->n + n + 1);
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			die("no memory", "buffer");
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void put16(struct bytes *b, uint16_t v) { put(b, &v, 2); }
void put32(struct bytes *b, uint32_t v) { put(b, &v, 4); }
void put64(struct bytes *b, uint64_t v) { put(b, &v, 8); }

void pad(struct bytes *b, size_t unit)
{
	while (b->n % unit)
		put(b, "", 1);
}

void save(const char *dir, const char *file, const struct bytes *b)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f))
		die("cannot write", path);
}

/* ---- the list of cases ---- */

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Parse a code span: a fence of backticks, with a blank inside if the fence is long.  \xHH is a byte. */
static void parse_bytes(struct bytes *raw, char *text)
{
	size_t n = strlen(text), fence = strspn(text, "`");

	put(raw, "", 0);
	if (!strcmp(text, "(none)"))
		return;
	if (!fence || n < 2 * fence)
		die("no code span", text);
	text += fence;
	n -= 2 * fence;
	if (fence > 1 && n >= 2 && text[0] == ' ' && text[n - 1] == ' ') {
		text++;
		n -= 2;
	}
	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (c == '\\' && n - i >= 4 && text[i + 1] == 'x' && hex_digit(text[i + 2]) >= 0 &&
			hex_digit(text[i + 3]) >= 0) {
			c = (char)(hex_digit(text[i + 2]) << 4 | hex_digit(text[i + 3]));
			i += 3;
		}
		put(raw, &c, 1);
	}
}

static size_t read_cases(struct name *names, const char *path)
{
	static const char bytes_are[] = "bytes (C style): ";
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0, n = 0;
	bool inside = false;
	ssize_t len;

	if (!f)
		die("cannot open", path);
	while ((len = getline(&line, &cap, f)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!strncmp(line, "```", 3)) {
			inside = !inside;
		} else if (!inside && !strncmp(line, bytes_are, sizeof(bytes_are) - 1)) {
			if (n == MAX_CASES)
				die("too many cases", path);
			parse_bytes(&names[n].was, line + sizeof(bytes_are) - 1);
			put(&names[n].raw, names[n].was.p, names[n].was.n);
			n++;
		} else if (inside && n && strlen(line) >= 8) {
			for (size_t s = 0; s < SINKS; s++)
				if (!strncmp(line, sinks[s], strlen(sinks[s])) && line[strlen(sinks[s])] == ' ')
					names[n - 1].want[s] = strdup(line + 8);
		}
	}
	free(line);
	fclose(f);
	for (size_t i = 0; i < n; i++)
		for (size_t s = 0; s < SINKS; s++)
			if (!names[i].want[s])
				die("a case lacks a sink's text", path);
	return n;
}

static void make_harmless(struct name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[16];

		names[i].raw.n = 0;
		put(&names[i].raw, text, (size_t)snprintf(text, sizeof(text), "h%03zu", i + 1));
		for (size_t s = 0; s < SINKS; s++)
			names[i].want[s] = strdup(names[i].raw.p);
	}
}

/* ---- perf.data ---- */

size_t begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	size_t at = b->n;

	put32(b, type);
	put16(b, misc);
	put16(b, 0);
	return at;
}

void finish(struct bytes *b, size_t at)
{
	size_t n;
	uint16_t size;

	while ((b->n - at) % 8)
		put(b, "", 1);
	n = b->n - at;
	if (n > UINT16_MAX)
		die("a record is too large", "recording");
	size = (uint16_t)n;
	memcpy(b->p + at + 6, &size, 2);
}

void comm(struct bytes *b, uint32_t pid, const struct bytes *name)
{
	size_t at = begin(b, RECORD_COMM, 0);

	put32(b, pid);
	put32(b, pid);
	put(b, name->p, name->n + 1);
	finish(b, at);
}

void map(struct bytes *b, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name, size_t n)
{
	size_t at = begin(b, RECORD_MMAP, MISC_USER);

	put32(b, pid);
	put32(b, pid);
	put64(b, addr);
	put64(b, len);
	put64(b, pgoff);
	put(b, name, n);
	put(b, "", 1);
	finish(b, at);
}

static void samples_of(struct bytes *b, size_t n, uint64_t id, uint32_t pid, uint64_t ip, uint16_t misc)
{
	for (; n; n--) {
		size_t at = begin(b, RECORD_SAMPLE, misc);

		put64(b, id);
		put64(b, ip);
		put32(b, pid);
		put32(b, pid);
		put64(b, 1);
		finish(b, at);
	}
}

void samples(struct bytes *b, size_t n, uint64_t id, uint32_t pid, uint64_t ip)
{
	samples_of(b, n, id, pid, ip, MISC_USER);
}

void kernel_samples(struct bytes *b, size_t n, uint64_t ip)
{
	samples_of(b, n, 1, PID, ip, MISC_KERNEL);
}

void attr(struct bytes *b, uint32_t type, uint64_t config)
{
	size_t at = b->n;

	put32(b, type);
	put32(b, 64);
	put64(b, config);
	put64(b, 1);
	put64(b, SAMPLE_IP | SAMPLE_TID | SAMPLE_PERIOD | SAMPLE_IDENTIFIER);
	while (b->n - at < 64)
		put(b, "", 1);
}

static void text(struct bytes *b, const char *s, size_t n)
{
	put32(b, (uint32_t)n + 1);
	put(b, s, n);
	put(b, "", 1);
}

/* Write the parts of a perf.data in this order: header, event IDs, attrs, data, feature table, feature sections. */
void write_recording(const char *dir, const char *file, size_t nevents, const struct bytes *data, struct feature *f,
	size_t nf)
{
	uint64_t ids_at = 104, attrs_at = ids_at + 8 * nevents, data_at = attrs_at + 80 * nevents,
		 at = data_at + data->n + 16 * nf;
	uint64_t bits[4] = { 0 };
	struct bytes b = { 0 };

	for (size_t i = 0; i < nf; i++)
		bits[f[i].bit / 64] |= UINT64_C(1) << f[i].bit % 64;
	put(&b, "PERFILE2", 8);
	put64(&b, 104);
	put64(&b, 80);
	put64(&b, attrs_at);
	put64(&b, 80 * nevents);
	put64(&b, data_at);
	put64(&b, data->n);
	put64(&b, 0);
	put64(&b, 0);
	put(&b, bits, sizeof(bits));
	for (size_t i = 0; i < nevents; i++)
		put64(&b, i + 1);
	for (size_t i = 0; i < nevents; i++) {
		attr(&b, nf && f[0].bit == TRACING_DATA ? 2 : 1, i);
		put64(&b, ids_at + 8 * i);
		put64(&b, 8);
	}
	put(&b, data->p, data->n);
	for (size_t i = 0; i < nf; i++) {
		put64(&b, at);
		put64(&b, f[i].section.n);
		at += f[i].section.n;
	}
	for (size_t i = 0; i < nf; i++) {
		put(&b, f[i].section.p, f[i].section.n);
		free(f[i].section.p);
	}
	save(dir, file, &b);
	free(b.p);
}

/* ---- an ELF file whose symbols have the names ---- */

static void write_elf(const char *dir, const char *file, const struct name *names, size_t n)
{
	struct bytes strings = { 0 }, symbols = { 0 }, b = { 0 };
	static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
	Elf64_Phdr load = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = TEXT_AT,
		.p_vaddr = TEXT_AT,
		.p_paddr = TEXT_AT,
		.p_filesz = TEXT_BYTES,
		.p_memsz = TEXT_BYTES,
		.p_align = 0x1000 };
	Elf64_Ehdr head = { .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head), .e_phentsize = sizeof(load), .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5, .e_shstrndx = 4 };
	Elf64_Shdr sections[5] = { { 0 } };
	Elf64_Sym symbol = { 0 };

	memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
	put(&strings, "", 1);
	put(&symbols, &symbol, sizeof(symbol));
	for (size_t i = 0; i < n; i++) {
		symbol = (Elf64_Sym){ .st_name = (uint32_t)strings.n,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = TEXT_AT + STEP * i,
			.st_size = STEP };
		put(&strings, names[i].raw.p, names[i].raw.n + 1);
		put(&symbols, &symbol, sizeof(symbol));
	}
	put(&b, &head, sizeof(head));
	put(&b, &load, sizeof(load));
	pad(&b, TEXT_AT);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		put(&b, "\xc3", 1);
	sections[1] = (Elf64_Shdr){ .sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT_AT,
		.sh_offset = TEXT_AT,
		.sh_size = TEXT_BYTES,
		.sh_addralign = 16 };
	sections[2] = (Elf64_Shdr){ .sh_name = 7,
		.sh_type = SHT_SYMTAB,
		.sh_offset = b.n,
		.sh_size = symbols.n,
		.sh_link = 3,
		.sh_info = 1,
		.sh_addralign = 8,
		.sh_entsize = sizeof(symbol) };
	put(&b, symbols.p, symbols.n);
	sections[3] = (Elf64_Shdr){ .sh_name = 15,
		.sh_type = SHT_STRTAB,
		.sh_offset = b.n,
		.sh_size = strings.n,
		.sh_addralign = 1 };
	put(&b, strings.p, strings.n);
	sections[4] = (Elf64_Shdr){ .sh_name = 23,
		.sh_type = SHT_STRTAB,
		.sh_offset = b.n,
		.sh_size = sizeof(section_names),
		.sh_addralign = 1 };
	put(&b, section_names, sizeof(section_names));
	pad(&b, 8);
	head.e_shoff = b.n;
	memcpy(b.p, &head, sizeof(head));
	put(&b, sections, sizeof(sections));
	save(dir, file, &b);
	free(strings.p);
	free(symbols.p);
	free(b.p);
}

/* ---- the plants ---- */

bool has(const struct bytes *b, char c)
{
	return b->n && memchr(b->p, c, b->n);
}

bool fits(const char *plant, const struct name *name)
{
	static const char *const named[] = { "elf", "event", "update", "ksymbol", "line", "inline" };
	static const char *const inside[] = { "comm", "mmap", "mmap2", "ksymbol", "update" };
	const struct bytes *b = &name->was;

	if (has(b, '\0'))
		return false;
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		if (!strcmp(plant, inside[i]) && b->n > 65400)
			return false;	/* longer than a record can be */
	if (!strcmp(plant, "map") || !strcmp(plant, "trace"))		/* the name is a part of a line */
		return b->n && !has(b, '\n');
	if (!strcmp(plant, "kallsyms"))		/* the name is a word of a line */
		return b->n && !has(b, '\n') && !has(b, '\t') && !has(b, ' ') && !has(b, '\r') &&
			b->p[0] != '$'; /* names of mapping symbols begin with `$` */
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(plant, named[i]) && !b->n)
			return false;	/* an empty name means "no name" there */
	return true;
}

/* Write the names in hexadecimal digits: a database must return their bytes unchanged. */
static void write_hex(const char *dir, const char *plant, const struct name *names, size_t n)
{
	struct bytes b = { 0 };
	char file[64], digits[24];

	put(&b, "", 0);
	for (size_t i = 0; i < n; i++) {
		if (!fits(plant, &names[i]))
			continue;
		put(&b, digits, (size_t)snprintf(digits, sizeof(digits), "%zu\t", i + 1));
		for (size_t k = 0; k < names[i].raw.n; k++)
			put(&b, digits,
				(size_t)snprintf(digits, sizeof(digits), "%02x", (unsigned char)names[i].raw.p[k]));
		put(&b, "\n", 1);
	}
	snprintf(file, sizeof(file), "want/%s.hex", plant);
	save(dir, file, &b);
	free(b.p);
}

void write_want(const char *dir, const char *plant, const struct name *names, size_t n)
{
	for (size_t s = 0; s < SINKS; s++) {
		struct bytes b = { 0 };
		char file[64];

		put(&b, "", 0);
		for (size_t i = 0; i < n; i++) {
			char number[24];

			if (!fits(plant, &names[i]))
				continue;
			put(&b, number, (size_t)snprintf(number, sizeof(number), "%zu\t", i + 1));
			put(&b, names[i].want[s], strlen(names[i].want[s]));
			put(&b, "\n", 1);
		}
		snprintf(file, sizeof(file), "want/%s.%s", plant, sinks[s]);
		save(dir, file, &b);
		free(b.p);
	}
	write_hex(dir, plant, names, n);
}

const struct bytes app = { .p = (char *)"app", .n = 3 };

/* Write a recording with a single event.  `where` selects what has the names: comm, mmap, elf or map. */
static void plant(const char *dir, const char *where, const struct name *names, size_t n)
{
	struct bytes data = { 0 };
	char file[64];

	comm(&data, PID, &app);
	if (!strcmp(where, "elf"))
		map(&data, PID, BASE, TEXT_BYTES, TEXT_AT, "/app", 4);
	if (!strcmp(where, "map"))
		map(&data, PID, BASE, TEXT_BYTES, 0, "//anon", 6);
	for (size_t i = 0; i < n; i++) {
		const struct bytes *name = &names[i].raw;
		uint64_t ip = BASE + STEP * i;

		if (!fits(where, &names[i]))
			continue;
		if (!strcmp(where, "comm")) {
			comm(&data, 100 + (uint32_t)i, name);
			samples(&data, i + 1, 1, 100 + (uint32_t)i, ip);
			continue;
		}
		if (!strcmp(where, "mmap"))
			map(&data, PID, ip, STEP, 0, name->p, name->n);
		samples(&data, i + 1, 1, PID, ip);
	}
	snprintf(file, sizeof(file), "%s.data", where);
	write_recording(dir, file, 1, &data, NULL, 0);
	write_want(dir, where, names, n);
	free(data.p);
}

static void plant_events(const char *dir, const struct name *names, size_t n)
{
	struct bytes data = { 0 };
	struct feature desc = { .bit = 12 };

	put32(&desc.section, (uint32_t)n);
	put32(&desc.section, 64);
	comm(&data, PID, &app);
	for (size_t i = 0; i < n; i++) {
		bool named = fits("event", &names[i]);

		attr(&desc.section, 1, i);
		put32(&desc.section, 0);
		text(&desc.section, named ? names[i].raw.p : "", named ? names[i].raw.n : 0);
		if (named)
			samples(&data, i + 1, i + 1, PID, BASE);
	}
	write_recording(dir, "event.data", n, &data, &desc, 1);
	write_want(dir, "event", names, n);
	free(data.p);
}

static void plant_header(const char *dir, const struct name *names, size_t i)
{
	/* features: host, kernel, perf version, architecture, CPU, CPU ID */
	static const unsigned int strings[] = { 3, 4, 5, 6, 8, 9 };
	const struct bytes *name = &names[i].raw;
	struct bytes data = { 0 };
	struct feature f[7] = { { 0 } };
	char file[64];

	for (size_t k = 0; k < 6; k++) {
		f[k].bit = strings[k];
		text(&f[k].section, name->p, name->n);
	}
	f[6].bit = 11;
	put32(&f[6].section, 2);
	text(&f[6].section, "perf", 4);
	text(&f[6].section, name->p, name->n);
	samples(&data, 1, 1, PID, BASE);
	snprintf(file, sizeof(file), "header.%zu.data", i + 1);
	write_recording(dir, file, 1, &data, f, 7);
	free(data.p);
}

static void write_perf_map(const char *dir, const struct name *names, size_t n)
{
	struct bytes b = { 0 };

	put(&b, "", 0);
	for (size_t i = 0; i < n; i++) {
		char start[40];

		if (!fits("map", &names[i]))
			continue;
		put(&b, start, (size_t)snprintf(start, sizeof(start), "%zx %x ", BASE + STEP * i, STEP));
		put(&b, names[i].raw.p, names[i].raw.n);
		put(&b, "\n", 1);
	}
	save(dir, "root/tmp/perf-7.map", &b);
	free(b.p);
}

static void write_folded(const char *dir, const struct name *names, size_t n)
{
	struct bytes b = { 0 }, deep = { 0 };

	put(&deep, "app", 3);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k <= i && fits("folded", &names[i]); k++) {
			put(&b, "app;", 4);
			put(&b, names[i].want[0], strlen(names[i].want[0]));
			put(&b, " 1\n", 3);
		}
		put(&deep, ";", 1);
		put(&deep, names[i].want[0], strlen(names[i].want[0]));
	}
	put(&deep, " 1\n", 3);
	save(dir, "input.folded", &b);
	save(dir, "deep.folded", &deep);
	write_want(dir, "folded", names, n);
	free(b.p);
	free(deep.p);
}

void make_folder(const char *dir, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	mkdir(path, 0755);
}

int main(int argc, char **argv)
{
	static const char *const plants[] = { "comm", "mmap", "elf", "map" };
	static struct name names[MAX_CASES];
	struct bytes all = { 0 };
	size_t n;

	if (argc < 3)
		die("usage: make-recording CASES.md OUT [harmless]", "command line");
	n = read_cases(names, argv[1]);
	if (argc > 3)
		make_harmless(names, n);
	make_folder(argv[2], "want");
	make_folder(argv[2], "root");
	make_folder(argv[2], "root/tmp");
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++)
		plant(argv[2], plants[i], names, n);
	plant_events(argv[2], names, n);
	plant_places(argv[2], names, n);
	plant_dwarf(argv[2], names, n);
	write_elf(argv[2], "root/app", names, n);
	write_perf_map(argv[2], names, n);
	write_folded(argv[2], names, n);
	for (size_t i = 0; i < n; i++) {
		put(&all, names[i].raw.p, has(&names[i].raw, '\0') ? strlen(names[i].raw.p) : names[i].raw.n);
		put(&all, "", 1);
		if (fits("header", &names[i]))
			plant_header(argv[2], names, i);
	}
	write_want(argv[2], "header", names, n);
	save(argv[2], "names", &all);
	printf("%zu\n", n);
	return 0;
}
