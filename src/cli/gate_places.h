/*
 * gate_places.h - find the source lines of the symbols of a comparison, relative to the root of the checkout
 *
 * The object of a symbol is opened at its recorded path, if the file there has the recorded build-id, and its debug
 * information is read.  This gives the path of the source file, which is used if it leads to a file in the checkout.
 * If the object was compiled elsewhere (a container, another checkout), the longest end of the path that names a file
 * in the checkout is used.  Such an end has at least two components.
 */
#ifndef HD_CLI_GATE_PLACES_H
#define HD_CLI_GATE_PLACES_H

#include "render/gate.h"

/*
 * Set out->places, the source file and line of each row of `c`, then of c->pin, that has a verdict other than PASS.  A
 * source line that cannot be found is set to unknown.  The current folder must be inside the checkout.  Returns 0, or
 * < 0 for errors of the database.
 */
int hd_gate_places_find(struct hd_gate_places *out, const struct hd_comparison *c, struct hd_db *db,
	struct hd_err *err);
/*
 * Set the file and line that are reported for rows whose source line is unknown.  Does nothing if the file is not in
 * the checkout of the current folder.  The path is copied.
 */
void hd_gate_places_fallback(struct hd_gate_places *out, const char *path, unsigned line);
void hd_gate_places_release(struct hd_gate_places *p);

#endif
