/* guest.c - read samples inside of virtual machines (perf kvm record), with a kallsyms file for each kernel */
#include "recording.h"

enum { GUEST_KERNEL = PERF_RECORD_MISC_GUEST_KERNEL, GUEST_USER = PERF_RECORD_MISC_GUEST_USER };

static const char host_list[] = "ffffffff81000000 T _text\nffffffff81000000 T host_read\nffffffff81001000 T host_end\n";
static const char guest_list[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T guest_read\n"
	"ffffffff81000100 T guest_write\n"
	"ffffffff81001000 T guest_end\n"
	"ffffffffc0000000 t virtio_poll\t[virtio]\n";

#define GUEST_IP	0xffffffff81000110u

static void guest_samples(struct image *im)
{
	sample(im, (struct taken){ 1, KERNEL, KERNEL_IP, 10, 10, SECOND, 0, 1, NO_CHAIN });
	sample(im, (struct taken){ 1, GUEST_KERNEL, GUEST_IP, 10, 10, SECOND, 0, 10, NO_CHAIN });
	sample(im,
		(struct taken){ 1, GUEST_KERNEL, GUEST_IP, 20, 20, SECOND, 0, 100,
			CHAIN(HD_CONTEXT_GUEST_KERNEL, GUEST_IP, GUEST_IP - 0x100) });
	sample(im, (struct taken){ 1, GUEST_USER, 0x1110, 10, 10, SECOND, 0, 1000, NO_CHAIN });
}

/*
 * Expect this folded text.  host, guest: the kallsyms file of the host, of the guest is passed to hd_pipeline_read().
 */
static void expect_lists(struct image *im, bool host, bool guest, const char *want)
{
	char *dir = tmpdir(), *h = put_file(dir, "host", host_list, sizeof(host_list) - 1),
	     *g = put_file(dir, "guest", guest_list, sizeof(guest_list) - 1);

	expect_folded(im, (struct hd_pipeline_opts){ .kallsyms = host ? h : NULL, .guest_kallsyms = guest ? g : NULL },
		0, want);
	free(h);
	free(g);
	tmpdir_remove(dir);
}

TEST(a_guests_kernel_is_not_the_hosts_and_its_programs_are_not_the_hosts)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = begin(swap, 0, 0);

		tasks(&im);
		map(&im, 0, GUEST_KERNEL, 0xffffffff81000000u, 0x1000000, 0xffffffff81000000u,
			"[guest.kernel.kallsyms]_text");
		guest_samples(&im);
		expect_lists(&im, true, false,
			"app;[unknown] 1000\n"
			"app;[unknown]_[k] 10\n"
			"app;host_read_[k] 1\n"
			"tool;[unknown]_[k];[unknown]_[k] 100\n");
		expect_lists(&im, true, true,
			"app;[unknown] 1000\n"
			"app;guest_write_[k] 10\n"
			"app;host_read_[k] 1\n"
			"tool;guest_read_[k];guest_write_[k] 100\n");
		hd_buf_release(&im.b);
	}
}

TEST(a_guest_without_records_is_named_by_its_symbol_list)
{
	struct image im = side_band();

	guest_samples(&im);
	expect_lists(&im, true, true,
		"app;[unknown] 1000\n"
		"app;guest_write_[k] 10\n"
		"app;host_read_[k] 1\n"
		"tool;guest_read_[k];guest_write_[k] 100\n");
	hd_buf_release(&im.b);
}

/*
 * Two guests, each with its own address space layout: the kernel mapping of each guest has the address of its kernel.
 */
TEST(each_guest_is_known_by_its_process_on_the_host)
{
	struct image im = begin(false, 0, 0);

	tasks(&im);
	map(&im, 10, GUEST_KERNEL, 0xffffffff81000000u, 0x1000000, 0xffffffff81000000u,
		"[guest.kernel.kallsyms.10]_text");
	map(&im, 20, GUEST_KERNEL, 0xffffffff91000000u, 0x1000000, 0xffffffff91000000u,
		"[guest.kernel.kallsyms.20]_text");
	sample(&im, (struct taken){ 1, GUEST_KERNEL, 0xffffffff81000010u, 10, 10, SECOND, 0, 1, NO_CHAIN });
	sample(&im, (struct taken){ 1, GUEST_KERNEL, 0xffffffff91000110u, 20, 20, SECOND, 0, 2, NO_CHAIN });
	expect_lists(&im, false, true, "app;guest_read_[k] 1\ntool;guest_write_[k] 2\n");
	hd_buf_release(&im.b);
}

TEST(a_guests_module_is_named_by_its_lines_of_the_guests_list)
{
	struct image im = begin(false, 0, 0);

	tasks(&im);
	map(&im, 0, GUEST_KERNEL, 0xffffffff81000000u, 0x1000000, 0xffffffff81000000u, "[guest.kernel.kallsyms]_text");
	map(&im, 0, GUEST_KERNEL, 0xffffffffc0000000u, 0x1000, 0, "[virtio]");
	sample(&im, (struct taken){ 1, GUEST_KERNEL, 0xffffffffc0000010u, 10, 10, SECOND, 0, 1, NO_CHAIN });
	expect_lists(&im, false, true, "app;virtio_poll_[k] 1\n");
	hd_buf_release(&im.b);
}

/* perf record --kcore: the recording is a folder that contains the kernel's kallsyms. */
TEST(a_folder_with_the_kernels_list_needs_no_other)
{
	struct image data = { 0 }, im;
	char *dir = tmpdir(), *sub = in_dir(dir, "kcore_dir");
	struct hd_pipeline_opts opts = { 0 };
	struct hd_profile *p;
	struct hd_err err = { 0 };

	map(&data, -1, KERNEL, 0xffffffff91000000u, 0x1000000, 0xffffffff91000000u, "[kernel.kallsyms]_text");
	sample(&data, (struct taken){ 7, KERNEL, 0xffffffff91000010u, 10, 10, SECOND, 0, 1, NO_CHAIN });
	im = file_image(false, (struct attr){ .type = PERF_TYPE_SOFTWARE, .sample_type = FIELDS, .flags = ID_ALL },
		&data.b, NULL, 0);
	free(put_file(dir, "data", im.b.data, im.b.len));
	for (int there = 0; there < 2; there++) {
		EXPECT(!there || mkdir(sub, 0755) == 0);
		if (there)
			free(put_file(sub, "kallsyms", host_list, sizeof(host_list) - 1));
		EXPECT_INT(hd_pipeline_read(&p, dir, &opts, &err), 0);
		EXPECT_INT(p->recording.nobjects, 1);
		EXPECT_STR(p->recording.objects[0].symbols, there ? "symtab" : "none");
		hd_profile_free(p);
		expect_law(dir, opts);
	}
	free(sub);
	tmpdir_remove(dir);
	hd_buf_release(&data.b);
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(a_guests_kernel_is_not_the_hosts_and_its_programs_are_not_the_hosts),
	  RUN(a_guest_without_records_is_named_by_its_symbol_list),
	  RUN(each_guest_is_known_by_its_process_on_the_host),
	  RUN(a_guests_module_is_named_by_its_lines_of_the_guests_list),
	  RUN(a_folder_with_the_kernels_list_needs_no_other))
