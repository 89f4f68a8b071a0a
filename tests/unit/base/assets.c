/* assets.c - tests of the files that are embedded in the program */
#include "test.h"

#include "base/assets.h"

#include <string.h>

/* Only the schema files of PostgreSQL have a folder in their names: pg/. */
TEST(every_asset_has_a_name_without_its_folder_and_ends_in_a_nul)
{
	size_t n = 0;

	for (const struct hd_asset *a = hd_assets; a->name; a++, n++) {
		EXPECT(!strchr(a->name, '/') || !strncmp(a->name, "pg/", 3));
		EXPECT(a->len > 0);
		EXPECT(a->data[a->len] == '\0');
		EXPECT(hd_asset_find(a->name) == a);	/* no other asset has this name */
	}
	EXPECT(n > 0);
}

TEST(the_schema_and_the_flamegraph_script_are_among_them)
{
	EXPECT(hd_asset_find("001_init.sql") != NULL);
	EXPECT(hd_asset_find("flame.js") != NULL);
	EXPECT(hd_asset_find("flame.css") != NULL);
	EXPECT(hd_asset_find("no such file") == NULL);
	EXPECT(hd_asset_find("") == NULL);
}

TEST_MAIN(RUN(every_asset_has_a_name_without_its_folder_and_ends_in_a_nul),
	  RUN(the_schema_and_the_flamegraph_script_are_among_them))
