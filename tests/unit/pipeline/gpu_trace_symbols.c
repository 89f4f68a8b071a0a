/*
 * gpu_trace_symbols.c - make display names of GPU kernels
 */
#include "test.h"

#include "pipeline/gpu_trace_symbols.h"

static const char *named(const char *linked, const char **full)
{
	static struct hd_strtab *names;
	struct hd_gpu_dict dict;
	uint32_t name, whole;
	const char *s;

	hd_strtab_free(names);
	names = hd_strtab_new();
	hd_gpu_dict_init(&dict, names);
	hd_gpu_kernel_name(&dict, linked, &name, &whole);
	s = hd_strtab_get(names, name);
	*full = hd_strtab_get(names, whole);
	hd_gpu_dict_release(&dict);
	return s;
}

TEST(a_kernel_is_named_without_template_arguments_and_parameters)
{
	const char *full;

	EXPECT_STR(named("_Z4tileIfEvPKT_PS0_i", &full), "tile");
	EXPECT_STR(full, "void tile<float>(float const*, float*, int)");
	EXPECT_STR(named("_ZN2at6native4fillIN3foo3barIiEEEEvT_", &full), "at::native::fill");
	EXPECT_STR(named("ampere_sgemm_128x64_nn", &full), "ampere_sgemm_128x64_nn");
	EXPECT_STR(full, "ampere_sgemm_128x64_nn");
}

TEST(the_name_of_an_operator_keeps_its_brackets)
{
	const char *full;

	EXPECT_STR(named("_ZltRK3fooS1_", &full), "operator<");
}

TEST(a_name_whose_brackets_do_not_balance_is_kept)
{
	const char *full;

	EXPECT_STR(named("_ZN2nsIiE1fIXlsLi1ELi3EEEEvv", &full), "ns<int>::f<(1)<<(3)>");
}

TEST_MAIN(RUN(a_kernel_is_named_without_template_arguments_and_parameters),
	RUN(the_name_of_an_operator_keeps_its_brackets),
	RUN(a_name_whose_brackets_do_not_balance_is_kept))
