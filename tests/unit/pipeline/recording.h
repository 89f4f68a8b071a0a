/*
 * recording.h - make small recordings byte by byte, and expect the folded text that hd_pipeline_read() gives
 *
 * Process 10, `app`, runs JIT code at 0x1000 whose names are in a perf map below a symbol root; process 20, `tool`,
 * has nothing mapped; the kernel is mapped and has no symbols. Two events: cpu-clock with id 1, cycles with id 2.
 *
 *     0x1000 main   0x1100 work   0x1200 leaf
 *
 * side_band() begins this recording, without samples, as a pipe of a little-endian machine.  begin(), followed by
 * tasks(), does the same in either byte order, and with more bits of sample_type and of the flags of the attrs.
 */
#ifndef TESTS_UNIT_PIPELINE_RECORDING_H
#define TESTS_UNIT_PIPELINE_RECORDING_H

#include "bundle_equivalence.h"
#include "unit/perfdata/synthetic_recording.h"

enum {
	FIELDS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	KERNEL = PERF_RECORD_MISC_KERNEL,
	USER = PERF_RECORD_MISC_USER,
};

#define KERNEL_IP	0xffffffff81000010u
#define SECOND		UINT64_C(1000000000)

/* Append the trailer that every record except samples has. */
static inline void trailer(struct image *im, int32_t pid, int32_t tid, uint64_t time_ns)
{
	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)tid);
	u64(im, time_ns);
	u32(im, 0);
	u32(im, 0);
	u64(im, 1);
}

static inline void comm(struct image *im, int32_t pid, int32_t tid, const char *name, uint64_t time_ns)
{
	size_t r = rec(im, PERF_RECORD_COMM, 0);

	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)tid);
	text(im, name, 16);
	trailer(im, pid, tid, time_ns);
	end(im, r);
}

static inline void map(struct image *im, int32_t pid, uint16_t misc, uint64_t addr, uint64_t len, uint64_t pgoff,
	const char *name)
{
	size_t r = rec(im, PERF_RECORD_MMAP, misc);

	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)pid);
	u64(im, addr);
	u64(im, len);
	u64(im, pgoff);
	text(im, name, (strlen(name) + 8) & ~(size_t)7);
	trailer(im, pid, pid, 0);
	end(im, r);
}

static inline void forked(struct image *im, uint16_t misc, int32_t pid, int32_t ppid, uint64_t time_ns)
{
	size_t r = rec(im, PERF_RECORD_FORK, misc);

	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)ppid);
	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)ppid);
	u64(im, time_ns);
	trailer(im, ppid, ppid, time_ns);
	end(im, r);
}

/* Append a NAMESPACES record with the inodes of the mount and pid namespaces of a process. */
static inline void namespaces(struct image *im, int32_t pid, uint64_t mnt_ino, uint64_t pid_ino)
{
	size_t r = rec(im, PERF_RECORD_NAMESPACES, 0);

	u32(im, (uint32_t)pid);
	u32(im, (uint32_t)pid);
	u64(im, 7);
	for (int i = 0; i < 7; i++) {
		u64(im, 4);
		u64(im, i == 3 ? pid_ino : i == 5 ? mnt_ino : 100);
	}
	trailer(im, pid, pid, 0);
	end(im, r);
}

static inline void lost(struct image *im, uint64_t id, uint64_t n)
{
	size_t r = rec(im, PERF_RECORD_LOST, 0);

	u64(im, id);
	u64(im, n);
	trailer(im, 10, 10, 0);
	end(im, r);
}

struct taken {
	uint64_t id;
	uint16_t mode;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu;
	uint64_t period;
	const uint64_t *chain;
	size_t n;
};

#define NO_CHAIN .chain = NULL, .n = 0
#define CHAIN(...) .chain = (const uint64_t[]){ __VA_ARGS__ }, .n = sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8

static inline void sample(struct image *im, struct taken s)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, s.mode);

	u64(im, s.id);
	u64(im, s.ip);
	u32(im, (uint32_t)s.pid);
	u32(im, (uint32_t)s.tid);
	u64(im, s.time_ns);
	u32(im, s.cpu);
	u32(im, 0);
	u64(im, s.period);
	u64(im, s.n);
	for (size_t i = 0; i < s.n; i++)
		u64(im, s.chain[i]);
	end(im, r);
}

/* Begin a recording with the two events, with more bits of sample_type and of flags. */
static inline struct image begin(bool swap, uint64_t more_type, uint64_t more_flags)
{
	struct image im = pipe_image(swap);
	struct attr a = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = FIELDS | more_type,
		.flags = ID_ALL | more_flags };

	attr_record(&im, a, 1);
	a.type = PERF_TYPE_HARDWARE;
	a.config = PERF_COUNT_HW_CPU_CYCLES;
	attr_record(&im, a, 2);
	return im;
}

static inline void tasks(struct image *im)
{
	map(im, -1, KERNEL, 0xffffffff81000000u, 0x1000000, 0xffffffff81000000u, "[kernel.kallsyms]_text");
	comm(im, 10, 10, "app", 0);
	comm(im, 10, 11, "app", 0);
	comm(im, 20, 20, "tool", 0);
	map(im, 10, USER, 0x1000, 0x2000, 0, "//anon");
}

static inline struct image side_band(void)
{
	struct image im = begin(false, 0, 0);

	tasks(&im);
	return im;
}

static inline void five_samples(struct image *im)
{
	sample(im,
		(struct taken){ 1, USER, 0x1110, 10, 10, 1 * SECOND, 0, 100, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) });
	sample(im,
		(struct taken){ 1, USER, 0x1118, 10, 11, 2 * SECOND, 1, 200, CHAIN(HD_CONTEXT_USER, 0x1118, 0x1010) });
	sample(im,
		(struct taken){ 2, USER, 0x1210, 10, 10, 3 * SECOND, 0, 1,
			CHAIN(HD_CONTEXT_USER, 0x1210, 0x1120, 0x1010) });
	sample(im, (struct taken){ 1, KERNEL, KERNEL_IP, 10, 10, 4 * SECOND, 0, 400,
				   CHAIN(HD_CONTEXT_KERNEL, KERNEL_IP, HD_CONTEXT_USER, 0x1120, 0x1010) });
	sample(im, (struct taken){ 1, USER, 0x5000, 20, 20, 5 * SECOND, 1, 800, NO_CHAIN });
}

/* The recording as a file in a folder that is also the symbol root. */
struct place {
	char *dir, *path;
};

static inline struct place place_of(struct image *im)
{
	static const char names[] = "1000 100 main\n1100 100 work\n1200 80 leaf\n";
	struct place at = { .dir = tmpdir() };
	char *tmp = in_dir(at.dir, "tmp");

	EXPECT(mkdir(tmp, 0755) == 0);
	free(put_file(tmp, "perf-10.map", names, sizeof(names) - 1));
	free(tmp);
	at.path = put_file(at.dir, "t.data", im->b.data, im->b.len);
	return at;
}

static inline void place_release(struct place *at)
{
	free(at->path);
	tmpdir_remove(at->dir);
}

static inline struct hd_profile *ingest(const struct place *at, struct hd_pipeline_opts opts)
{
	struct hd_profile *p;
	struct hd_err err = { 0 };

	opts.symfs = at->dir;
	if (hd_pipeline_read(&p, at->path, &opts, &err) < 0)
		fail_msg("%s", err.msg);
	expect_sums(p);
	return p;
}

/*
 * Check the folded text of one event, with marks for kernel and inlined frames.  A bundle of the image must give the
 * same output.
 */
static inline void expect_folded(struct image *im, struct hd_pipeline_opts opts, uint32_t event, const char *want)
{
	struct hd_folded_opts o = { .annotate_kernel = true, .annotate_inlined = true };
	struct place at = place_of(im);
	struct hd_outfile out;
	struct hd_profile *p;

	opts.keys |= HD_KEY_COMM;
	p = ingest(&at, opts);
	opts.symfs = at.dir;
	expect_law(at.path, opts);
	hd_outfile_memory(&out);
	if (event < p->nevents)
		hd_folded_write(&out, p, event, &o);
	EXPECT_STR(hd_buf_str(&out.pending), want);
	hd_outfile_discard(&out);
	hd_profile_free(p);
	place_release(&at);
}

#endif
