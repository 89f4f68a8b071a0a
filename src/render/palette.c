/*
 * palette.c - see palette.h
 *
 * Shades are even steps in OKLCH, where equal lightness values look equally light.  Each kind of frame (user code,
 * kernel code, ...) has a band of hues.  Lightness is 0.78 to 0.90 under black text and 0.36 to 0.55 under white text;
 * shades that show a change are lighter or darker.  All shades give names a contrast of at least 5 to 1.
 */
#include "render/palette.h"

#include "profile/call_tree.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

struct shade {
	char light[8], dark[8];
};

static const struct shade user[] = {	/* red-orange to yellow */
	{ "#f6a78f", "#8b432c" }, { "#feb190", "#924c2c" }, { "#ffbb91", "#98552c" }, { "#ffc693", "#9e5e2d" },
	{ "#f5b47a", "#895010" }, { "#fbbf7d", "#8d5912" }, { "#ffca80", "#916317" }, { "#e6b869", "#7c5500" },
	{ "#eac46e", "#7f5f00" }, { "#edd075", "#81690a" },
};
static const struct shade inlined[] = {	/* green */
	{ "#abd297", "#40602d" }, { "#b0e2aa", "#446d3f" }, { "#99d6a3", "#2f623a" },
	{ "#9de5b7", "#336f4c" }, { "#86d8b2", "#1b6447" }, { "#8be7c8", "#20705a" },
};
static const struct shade jit[] = {	/* violet to pink */
	{ "#c5b3e8", "#654991" }, { "#d8bef4", "#78539a" }, { "#d1afe3", "#724587" },
	{ "#e5baed", "#844e8e" }, { "#ddaada", "#7c407b" }, { "#f1b5e3", "#8e4b81" },
};
static const struct shade kernel[] = {	/* blue */
	{ "#82c2dc", "#006280" }, { "#94d0f1", "#196c91" }, { "#89bee6", "#195e88" },
	{ "#9eccfa", "#346798" }, { "#96baed", "#33598c" }, { "#acc6ff", "#49629a" },
};
static const struct shade gpu[] = {	/* cyan */
	{ "#6ed2c9", "#145f5a" }, { "#84e8e4", "#29706d" }, { "#79dee0", "#1d6768" }, { "#86ebf1", "#2b7277" },
};
static const struct shade unknown[] = {
	{ "#c4c3c0", "#4c4b49" },
};
static const struct shade group[] = {	/* slate */
	{ "#c5cfd9", "#333e4a" }, { "#d5dfeb", "#404c58" }, { "#cfdae6", "#3c4753" }, { "#c9d5e1", "#38434f" },
};

static const struct shade grew[] = {	/* red: larger changes are darker on light pages, and lighter on dark pages */
	{ "#fde3df", "#4a3030" }, { "#f9c1ba", "#653437" }, { "#f39f97", "#80383c" }, { "#ec8079", "#993b41" },
	{ "#e4665f", "#b23e46" },
};
static const struct shade shrank[] = {	/* blue */
	{ "#dfeafc", "#2d3a4f" }, { "#bdd4f7", "#2d4768" }, { "#9bbef1", "#2c5381" }, { "#7ca8eb", "#2b5f99" },
	{ "#6496e4", "#2a6bb0" },
};
static const struct shade same[] = {
	{ "#e7e5e1", "#3d3c3a" },
};

static const struct shade gone[] = {
	{ "#dfeafc", "#22303f" },
};
static const struct shade rest[] = {
	{ "#d9d8d6", "#3b3a38" },
};

static const struct kind {
	char letter;
	const char *name;
	const struct shade *shades;
	size_t n;
	unsigned typical;	/* the shade that represents the kind in a legend */
} kinds[HD_PALETTE_KINDS] = {
	[HD_PALETTE_KIND_USER]    = { 'u', "user", user, HD_COUNT(user), 5 },
	[HD_PALETTE_KIND_INLINED] = { 'i', "inlined", inlined, HD_COUNT(inlined), 2 },
	[HD_PALETTE_KIND_JIT]     = { 'j', "JIT", jit, HD_COUNT(jit), 1 },
	[HD_PALETTE_KIND_KERNEL]  = { 'k', "kernel", kernel, HD_COUNT(kernel), 3 },
	[HD_PALETTE_KIND_GPU]     = { 'g', "GPU", gpu, HD_COUNT(gpu), 1 },
	[HD_PALETTE_KIND_UNKNOWN] = { 'q', "unknown", unknown, HD_COUNT(unknown), 0 },
	[HD_PALETTE_KIND_GROUP]   = { 'c', "thread", group, HD_COUNT(group), 2 },
	[HD_PALETTE_KIND_GREW]    = { 'r', "grew", grew, HD_COUNT(grew), 3 },
	[HD_PALETTE_KIND_SHRANK]  = { 'b', "shrank", shrank, HD_COUNT(shrank), 3 },
	[HD_PALETTE_KIND_SAME]    = { 'z', "no change beyond chance", same, HD_COUNT(same), 0 },
	[HD_PALETTE_KIND_GONE]    = { 'v', "only in the base", gone, HD_COUNT(gone), 0 },
	[HD_PALETTE_KIND_REST]    = { 'n', "too narrow, summed up", rest, HD_COUNT(rest), 0 },
};

/* The variables that flame.css uses. */
static const struct {
	const char *name, *light, *dark;
} page[] = {
	{ "bg", "#ffffff", "#16181c" },		/* background of the page */
	{ "fg", "#1b1b1b", "#ffffff" },		/* text, on the page and on frames */
	{ "mu", "#59616b", "#a3adb8" },		/* less important text */
	{ "ln", "#d5dae0", "#363c44" },		/* borders */
	{ "up", "#f5f6f8", "#22262c" },		/* raised surfaces: card, buttons */
	{ "ac", "#0b57d0", "#8ab4f8" },		/* accent: the focused element */
	{ "mt", "#a3106e", "#ff8fd0" },		/* search match */
	{ "mx", "#ffffff", "#1b1b1b" },		/* text on a search match */
};

enum hd_palette_kind hd_palette_kind_of(uint32_t flags)
{
	return flags & (HD_CALL_NODE_ROOT | HD_CALL_NODE_COMM) ? HD_PALETTE_KIND_GROUP :
	       flags & HD_CALL_NODE_UNKNOWN ? HD_PALETTE_KIND_UNKNOWN :
	       flags & HD_CALL_NODE_GPU ? HD_PALETTE_KIND_GPU :
	       flags & HD_CALL_NODE_KERNEL ? HD_PALETTE_KIND_KERNEL :
	       flags & HD_CALL_NODE_INLINED ? HD_PALETTE_KIND_INLINED :
	       flags & HD_CALL_NODE_JIT ? HD_PALETTE_KIND_JIT : HD_PALETTE_KIND_USER;
}

const char *hd_palette_kind_name(enum hd_palette_kind kind)
{
	return kinds[kind].name;
}

/* Return the length of a name without the suffixes that compilers add to clones of a function. */
static size_t plain_length(const char *name)
{
	static const char *const suffix[] = { ".constprop.", ".isra.", ".part.", ".cold", ".llvm." };
	size_t n = strlen(name);

	if (!memchr(name, '.', n))	/* the name has no suffix, like most names */
		return n;
	for (size_t i = 0; i < HD_COUNT(suffix); i++) {
		const char *at = strstr(name, suffix[i]);

		if (at && at > name && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	return n;
}

void hd_palette_class(char class[4], enum hd_palette_kind kind, const char *name)
{
	/* An FNV-1a hash.  base/hash.h is not used: its hashes may change between versions and colours must not. */
	uint32_t h = 2166136261u;
	size_t n = plain_length(name);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	class[0] = kinds[kind].letter;
	class[1] = (char)('0' + (h ^ h >> 16) % kinds[kind].n);
	class[2] = '\0';
}

void hd_palette_change(char class[4], double points, double most, bool chance)
{
	enum hd_palette_kind kind = chance || points == 0 ? HD_PALETTE_KIND_SAME
		: points > 0                              ? HD_PALETTE_KIND_GREW
							  : HD_PALETTE_KIND_SHRANK;
	double part = most > 0 ? sqrt(fabs(points) / most) : 0;
	size_t step = (size_t)(part * (double)kinds[kind].n);

	class[0] = kinds[kind].letter;
	class[1] = (char)('0' + (step < kinds[kind].n ? step : kinds[kind].n - 1));
	class[2] = '\0';
}

void hd_palette_legend_class(char class[4], enum hd_palette_kind kind)
{
	class[0] = kinds[kind].letter;
	class[1] = (char)('0' + kinds[kind].typical);
	class[2] = '\0';
}

static void add_colours(struct hd_buf *out, bool dark)
{
	for (size_t i = 0; i < HD_COUNT(page); i++)
		hd_buf_addf(out, "--%s:%s;", page[i].name, dark ? page[i].dark : page[i].light);
	for (size_t k = 0; k < HD_PALETTE_KINDS; k++)
		for (size_t i = 0; dark && i < kinds[k].n; i++)
			hd_buf_addf(out, "--%c%zu:%s;", kinds[k].letter, i, kinds[k].shades[i].dark);
}

void hd_palette_css(struct hd_buf *out)
{
	hd_buf_adds(out, ".hd-flame{");
	add_colours(out, false);
	hd_buf_adds(out, "}\n@media (prefers-color-scheme:dark){.hd-flame:not([data-theme=light]){");
	add_colours(out, true);
	hd_buf_adds(out, "}}\n.hd-flame[data-theme=dark]{");
	add_colours(out, true);
	hd_buf_adds(out, "}\n");
	/* Print each fill colour twice, as a value and as a CSS variable: some viewers do not support variables. */
	for (size_t k = 0; k < HD_PALETTE_KINDS; k++)
		for (size_t i = 0; i < kinds[k].n; i++) {
			const char *light = kinds[k].shades[i].light;

			hd_buf_addf(out, ".hd-flame .%c%zu{fill:%s;fill:var(--%c%zu,%s)}\n", kinds[k].letter, i, light,
				    kinds[k].letter, i, light);
		}
}
