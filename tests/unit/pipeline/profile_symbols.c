/* profile_symbols.c - add symbols to a profile */
#include "test.h"

#include "pipeline/profile_symbols.h"

/* Return the displayed name of an inlined function with this Rust linkage name. */
static const char *inlined(struct hd_profile_symbols *n, bool kernel)
{
	struct hd_inline_hit hit = { .linkage = "_RNvC5crate4main", .mangled = true };
	uint32_t id = hd_profile_symbols_add_inlined(n, 0, kernel, &hit);

	return hd_profile_str(n->p, n->p->symbols[id].name);
}

TEST(inlined_functions_of_the_kernel_keep_their_linkage_names)
{
	struct hd_profile *p = hd_profile_new();
	struct hd_profile_symbols n = { .p = p };

	EXPECT_STR(inlined(&n, false), "crate::main");
	EXPECT_STR(inlined(&n, true), "_RNvC5crate4main");
	hd_profile_symbols_release(&n);
	hd_profile_free(p);
}

TEST_MAIN(RUN(inlined_functions_of_the_kernel_keep_their_linkage_names))
