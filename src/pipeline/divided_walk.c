/*
 * divided_walk.c - see divided_walk.h
 */
#include "pipeline/divided_walk.h"

#include "base/mem.h"
#include "pipeline/perf_input_state.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS_MAX = 64,
	MARK_BYTES = 1 << 20,
	/* a unit is the part of the file from one mark to the next; files with fewer units are read by one thread */
	LEAST_UNITS = 8,
	/* a thread without work takes half of a part only if at least this many units of the part are left */
	LEAST_HALVED = 4,
	/* The calling thread also looks up symbols, which takes about as long as aggregating this many units. */
	LOOKUP_UNITS = 20,
	/* merging prefetches the address, node or sum that is this many elements ahead */
	AHEAD = 8,
};

/* A contiguous range of units.  Unit i begins at mark i. */
struct part {
	size_t first;
	/* guarded by the lock: the next unit to be aggregated, and the end of the part */
	size_t next, end;
	bool started;			/* another thread aggregates the part, or did so */
	bool done;			/* guarded by the lock */
	/* The rest is used by the thread that aggregates the part, and by the calling thread after `done`. */
	bool plain;			/* the part can be merged */
	/*
	 * a copy of the state of the recording, with a reader, cursors, a locator, chains, sums and a profile of
	 * its own
	 */
	struct hd_perf_input *own;
	struct hd_part_start start;
};

struct divided_walk {
	struct hd_perf_input *in;
	/* copies of the reader and the process table, from which those of each part are made */
	struct hd_perf *pf;
	struct hd_process_table *proc;
	struct hd_log log;		/* log of pf, unused */
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* signalled when a part is done */
	struct part **parts;		/* guarded by the lock; in file order */
	size_t nparts, parts_cap;
	bool stop;			/* guarded by the lock: the other threads shall begin no further unit */
};

struct worker {
	struct divided_walk *walk;
	struct part *part;		/* the part that the thread aggregates first */
	pthread_t thread;
};

/* ---- a part: any thread ---- */

uint32_t hd_unnamed_threads_add(struct hd_unnamed_threads *u, int32_t tid, const struct hd_locator *numbering)
{
	uint32_t at = hd_map_get(&u->index, (uint32_t)tid);
	size_t numbered;

	if (at == HD_MAP_NONE) {
		at = (uint32_t)u->n;
		hd_locator_numbered(numbering, &numbered);
		HD_GROW(u->items, u->n + 1, u->cap);
		u->items[u->n++] = (struct hd_unnamed_thread){ tid, numbered };
		hd_map_put(&u->index, (uint32_t)tid, at);
	}
	return HD_UNNAMED_THREAD | at;
}

static uint32_t number_of(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip)
{
	return hd_locator_find(ctx, at, tag, ip);
}

static struct hd_perf_input *own_state(const struct divided_walk *d, const struct part *part)
{
	const struct hd_perf_input *in = d->in;
	const struct hd_missing_caller *h = &in->unwinding.missing_caller;
	struct hd_perf_input *own = hd_new(struct hd_perf_input);

	own->p = hd_profile_new();
	own->p->keys = in->p->keys;
	own->pf = hd_perf_view_new(d->pf, &own->p->log);
	hd_perf_seek(own->pf, in->spaces.marks[part->first]);
	own->request = in->request;
	own->fields.weight = in->fields.weight;
	own->spaces.proc = hd_process_view_new(d->proc);
	own->spaces.known_seq = UINT64_MAX;
	own->pass.comm_wanted = in->pass.comm_wanted;
	own->pass.ncomms = in->pass.ncomms;
	own->pass.losses = hd_new_array(struct hd_event_losses, in->request.nattrs);
	own->lookup.locator = hd_locator_new_numbering(own->spaces.proc);
	own->agg.chains = hd_chains_new(&(struct hd_chains_source){ number_of, NULL, own->lookup.locator });
	own->agg.tail = (struct hd_deferred_lookup){ .chains = own->agg.chains, .sums = &own->agg.sums };
	own->agg.weights = hd_new_array(uint64_t, in->p->nevents);
	own->agg.unnamed = hd_new(struct hd_unnamed_threads);
	own->agg.fast = !in->request.opts->details;
	if (h->unwinder) {
		own->unwinding.missing_caller.machine = h->machine;
		own->unwinding.missing_caller.abi = h->abi;
		own->unwinding.missing_caller.unwinder = hd_unwinder_new(h->unwind);
	}
	own->budget.nodes = own->budget.most_sums = UINT32_MAX;
	return own;
}

static void free_own_state(struct hd_perf_input *own)
{
	if (!own)
		return;
	hd_perf_view_free(own->pf);
	hd_locator_free(own->lookup.locator);
	hd_process_view_free(own->spaces.proc);
	hd_chains_free(own->agg.chains);
	hd_chain_sums_release(&own->agg.sums);
	hd_lbr_release(&own->agg.lbr);
	hd_unwinder_free(own->unwinding.missing_caller.unwinder);
	hd_map_release(&own->agg.unnamed->index);
	free(own->agg.unnamed->items);
	free(own->agg.unnamed);
	hd_profile_free(own->p);
	free(own->agg.weights);
	free(own->pass.losses);
	free(own);
}

/* Return the next unit of the part; SIZE_MAX at its end, or if the walk has ended. */
static size_t next_unit(struct divided_walk *d, struct part *part)
{
	size_t unit = SIZE_MAX;

	pthread_mutex_lock(&d->lock);
	if (part->next < part->end && !d->stop)
		unit = part->next++;
	pthread_mutex_unlock(&d->lock);
	return unit;
}

static uint64_t records_of(const struct divided_walk *d, size_t unit)
{
	const struct hd_input_processes *s = &d->in->spaces;

	return unit + 1 < s->nmarks ? s->marks[unit + 1].seq - s->marks[unit].seq : UINT64_MAX;
}

static void aggregate(struct divided_walk *d, struct part *part)
{
	struct hd_perf_input *own = part->own = own_state(d, part);
	struct hd_err err;
	size_t unit;
	int rc = HD_SAMPLE_PASS_DONE;

	while (rc == HD_SAMPLE_PASS_DONE && (unit = next_unit(d, part)) != SIZE_MAX)
		rc = hd_perf_input_walk_part(own, records_of(d, unit), &part->start, &err);
	hd_deferred_lookup_sum(&own->agg.tail);
	part->plain = rc == HD_SAMPLE_PASS_DONE && !own->p->log.n;
	pthread_mutex_lock(&d->lock);
	part->done = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

/* Insert a part of the units [first, end) at index `at`.  The caller holds the lock, or no other thread runs. */
static struct part *insert_part(struct divided_walk *d, size_t at, size_t first, size_t end)
{
	struct part *part = hd_new(struct part);

	part->first = part->next = first;
	part->end = end;
	HD_GROW(d->parts, d->nparts + 1, d->parts_cap);
	for (size_t i = d->nparts++; i > at; i--)
		d->parts[i] = d->parts[i - 1];
	d->parts[at] = part;
	return part;
}

/*
 * Take the second half of what is left of the part with the most units left, and return it as a new part.  Return NULL
 * if no part has LEAST_HALVED units left.
 */
static struct part *halve_largest(struct divided_walk *d)
{
	struct part *of = NULL, *half = NULL;
	size_t left = LEAST_HALVED - 1, at = 0;

	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; i < d->nparts; i++) {
		struct part *part = d->parts[i];

		if (part->done || part->end - part->next <= left)
			continue;
		of = part;
		left = part->end - part->next;
		at = i;
	}
	if (of) {
		half = insert_part(d, at + 1, of->end - left / 2, of->end);
		half->started = true;
		of->end = half->first;
	}
	pthread_mutex_unlock(&d->lock);
	return half;
}

static void *work(void *arg)
{
	const struct worker *w = arg;

	for (struct part *part = w->part; part; part = halve_largest(w->walk))
		aggregate(w->walk, part);
	return NULL;
}

/* ---- merging: the calling thread ---- */

/*
 * Return true if the part can be merged.  It cannot be merged if only the calling thread can aggregate one of its
 * samples, if it has a warning, if a single thread could have flushed the sums inside the part, if the sum of the
 * weights would overflow, or if the budget is exhausted.
 */
static bool can_merge(const struct hd_perf_input *in, const struct part *part)
{
	const struct hd_perf_input *own = part->own;

	if (!part->plain || in->budget.spent ||
		hd_chains_count(in->agg.chains) + (uint64_t)hd_chains_count(own->agg.chains) > in->budget.nodes ||
		in->agg.sums.n + own->agg.sums.n + 2 * HD_DEFERRED_LOOKUP_RING > in->budget.most_sums ||
		hd_locator_size(in->lookup.locator) + hd_locator_growth(in->lookup.locator, own->lookup.locator) >
			in->budget.addresses)
		return false;
	for (size_t i = 0; i < in->p->nevents; i++)
		if (own->agg.weights[i] > UINT64_MAX - in->agg.weights[i])
			return false;
	return true;
}

/* Maps from the ids of a part to the ids of the recording. */
struct merged_ids {
	uint32_t *location, *node;
	uint32_t *comm;			/* indexed like hd_unnamed_threads.items */
};

/* Intern the name of an unnamed thread. */
static uint32_t merge_name(struct hd_perf_input *in, const struct hd_unnamed_thread *thread)
{
	struct hd_process_context at = { .comm = HD_PROCESS_UNNAMED };

	return hd_process_comm(in->spaces.proc, &at, thread->tid);
}

/* Look up the addresses of the part and intern the names of its unnamed threads, in the order of their first use. */
static void merge_names(struct hd_perf_input *in, const struct part *part, const struct merged_ids *ids)
{
	const struct hd_unnamed_threads *unnamed = part->own->agg.unnamed;
	size_t n, named = 0;
	const struct hd_numbered_address *numbered = hd_locator_numbered(part->own->lookup.locator, &n);

	for (size_t i = 1; i < n; i++) {
		for (; named < unnamed->n && unnamed->items[named].numbered <= i; named++)
			ids->comm[named] = merge_name(in, &unnamed->items[named]);
		if (i + AHEAD < n)
			hd_locator_prefetch_numbered(in->lookup.locator, &numbered[i + AHEAD]);
		ids->location[i] = hd_locator_find_numbered(in->lookup.locator, &numbered[i]);
		hd_perf_input_count_address(in);
	}
	for (; named < unnamed->n; named++)
		ids->comm[named] = merge_name(in, &unnamed->items[named]);
}

/* Add the nodes [from, to) of the part's chains to the chains of the recording. */
static void merge_nodes(struct hd_perf_input *in, const struct part *part, const struct merged_ids *ids, uint32_t from,
	uint32_t to)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(part->own->agg.chains);
	struct hd_chains *c = in->agg.chains;

	for (uint32_t i = from; i < to; i++) {
		const struct hd_chain_node *ahead = &nodes[i + AHEAD < to ? i + AHEAD : i];

		if (ahead->outer && ahead->outer < i)
			hd_chains_prefetch_child(c, ids->node[ahead->outer], ids->location[ahead->location]);
		ids->node[i] = hd_chain_is_root(&nodes[i])
			? hd_chains_root(c, HD_CHAIN_RECORDED, 0)
			: hd_chains_child(c, ids->node[nodes[i].outer], ids->location[nodes[i].location]);
	}
}

/*
 * Add all nodes of the part.  Between them, do the deferred lookups of the samples before the part, as one thread
 * would.
 */
static void merge_chains(struct hd_perf_input *in, const struct part *part, const struct merged_ids *ids)
{
	struct hd_deferred_lookup *tail = &in->agg.tail;
	uint32_t at = 1;

	for (unsigned i = 0; i < part->start.n; i++) {
		merge_nodes(in, part, ids, at, part->start.nodes[i]);
		at = part->start.nodes[i];
		if (hd_deferred_lookup_waiting(tail) && hd_deferred_lookup_waiting(tail) + i >= HD_DEFERRED_LOOKUP_STEP)
			hd_deferred_lookup_node(tail);
	}
	while (part->start.drained && hd_deferred_lookup_waiting(tail))
		hd_deferred_lookup_node(tail);
	merge_nodes(in, part, ids, at, hd_chains_count(part->own->agg.chains));
}

/* Return a sum of the part with the ids of the recording, except for its leaf. */
static struct hd_chain_sum merged_sum(const struct hd_chain_sum *from, const struct merged_ids *ids)
{
	struct hd_chain_sum sum = *from;

	sum.self = ids->location[sum.self];
	if (sum.comm & HD_UNNAMED_THREAD)
		sum.comm = ids->comm[sum.comm & ~HD_UNNAMED_THREAD];
	return sum;
}

static void merge_sums(struct hd_perf_input *in, const struct part *part, const struct merged_ids *ids)
{
	const struct hd_chain_sums *from = &part->own->agg.sums;
	const struct hd_deferred_lookup *last = &part->own->agg.tail;

	hd_deferred_lookup_sum(&in->agg.tail);
	for (size_t i = 0; i < from->n; i++) {
		struct hd_chain_sum sum = merged_sum(&from->items[i], ids);

		sum.leaf = ids->node[sum.leaf];
		if (i + 2 * AHEAD < from->n)
			hd_chain_sums_prefetch_head(&in->agg.sums, ids->node[from->items[i + 2 * AHEAD].leaf]);
		if (i + AHEAD < from->n)
			hd_chain_sums_prefetch(&in->agg.sums, ids->node[from->items[i + AHEAD].leaf]);
		hd_chain_sums_add(&in->agg.sums, &sum);
	}
	for (unsigned i = 0; i < hd_deferred_lookup_waiting(last); i++) {
		const struct hd_deferred_lookup_item *item = hd_deferred_lookup_get(last, i);
		struct hd_deferred_lookup_item *to = hd_deferred_lookup_next(&in->agg.tail);

		to->sum = merged_sum(&item->sum, ids);
		to->tip = (struct hd_chain_tip){ ids->node[item->tip.outer], ids->location[item->tip.location] };
		hd_deferred_lookup_add(&in->agg.tail);
	}
}

static void merge_counts(struct hd_perf_input *in, const struct hd_perf_input *own)
{
	struct hd_recording *rec = &in->p->recording;
	const struct hd_recording *part = &own->p->recording;

	for (size_t i = 0; i < in->p->nevents; i++)
		in->agg.weights[i] += own->agg.weights[i];
	for (size_t i = 0; i < in->request.nattrs; i++) {
		in->pass.losses[i].buffer += own->pass.losses[i].buffer;
		in->pass.losses[i].hardware += own->pass.losses[i].hardware;
		in->pass.losses[i].counter += own->pass.losses[i].counter;
	}
	in->p->read += own->p->read;
	in->p->kept += own->p->kept;
	for (size_t i = 0; i < own->p->ndropped; i++)
		hd_profile_drop(in->p, own->p->dropped[i].reason, own->p->dropped[i].count);
	if (part->first_ns && (!rec->first_ns || part->first_ns < rec->first_ns))
		rec->first_ns = part->first_ns;
	if (part->last_ns > rec->last_ns)
		rec->last_ns = part->last_ns;
	rec->branches += part->branches;
	rec->predicted += part->predicted;
	rec->mispredicted += part->mispredicted;
	rec->trace_bytes += part->trace_bytes;
	hd_chains_count_invalid(in->agg.chains, hd_chains_invalid(own->agg.chains));
}

static void merge(struct hd_perf_input *in, const struct part *part)
{
	struct merged_ids ids;
	size_t n;

	hd_locator_numbered(part->own->lookup.locator, &n);
	ids.location = hd_new_array(uint32_t, n);
	ids.node = hd_new_array(uint32_t, hd_chains_count(part->own->agg.chains));
	ids.comm = hd_new_array(uint32_t, part->own->agg.unnamed->n);
	merge_names(in, part, &ids);
	merge_chains(in, part, &ids);
	merge_sums(in, part, &ids);
	merge_counts(in, part->own);
	free(ids.location);
	free(ids.node);
	free(ids.comm);
}

/* ---- the calling thread ---- */

/* Aggregate the part in the calling thread, record by record, from its beginning. */
static int aggregate_here(struct divided_walk *d, struct part *part, struct hd_err *err)
{
	size_t unit;
	int rc = HD_SAMPLE_PASS_DONE;

	pthread_mutex_lock(&d->lock);
	part->next = part->first;
	pthread_mutex_unlock(&d->lock);
	hd_perf_seek(d->in->pf, d->in->spaces.marks[part->first]);
	while (rc == HD_SAMPLE_PASS_DONE && (unit = next_unit(d, part)) != SIZE_MAX)
		rc = hd_perf_input_walk(d->in, records_of(d, unit), err);
	pthread_mutex_lock(&d->lock);
	part->done = true;
	pthread_mutex_unlock(&d->lock);
	return rc;
}

/* Wait until the part is done.  Aggregate other parts meanwhile. */
static void wait_for(struct divided_walk *d, const struct part *part)
{
	struct part *other;

	pthread_mutex_lock(&d->lock);
	while (!part->done) {
		pthread_mutex_unlock(&d->lock);
		other = halve_largest(d);
		if (other)
			aggregate(d, other);
		pthread_mutex_lock(&d->lock);
		if (!other && !part->done)
			pthread_cond_wait(&d->changed, &d->lock);
	}
	pthread_mutex_unlock(&d->lock);
}

static struct part *part_at(struct divided_walk *d, size_t i)
{
	struct part *part;

	pthread_mutex_lock(&d->lock);
	part = i < d->nparts ? d->parts[i] : NULL;
	pthread_mutex_unlock(&d->lock);
	return part;
}

/* Take the parts in file order.  New parts are inserted after one that is not done, so none is missed. */
static int take_parts(struct divided_walk *d, struct hd_err *err)
{
	int rc = HD_SAMPLE_PASS_DONE;
	struct part *part;

	for (size_t i = 0; rc == HD_SAMPLE_PASS_DONE && (part = part_at(d, i)); i++) {
		if (part->started)
			wait_for(d, part);
		if (part->started && can_merge(d->in, part))
			merge(d->in, part);
		else
			rc = aggregate_here(d, part, err);
		free_own_state(part->own);
		part->own = NULL;
	}
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_mutex_unlock(&d->lock);
	return rc;
}

/* Divide the units into one part per thread. */
static void divide(struct divided_walk *d, size_t threads)
{
	size_t units = d->in->spaces.nmarks, share = (units + LOOKUP_UNITS) / threads;
	size_t first = share > LOOKUP_UNITS ? share - LOOKUP_UNITS : 1;

	insert_part(d, 0, 0, first);
	for (size_t i = 1; i < threads; i++) {
		size_t end = first + (units - first) / (threads - i);

		insert_part(d, i, first, end);
		first = end;
	}
}

static void start(struct divided_walk *d, struct worker *w, struct part *part)
{
	*w = (struct worker){ .walk = d, .part = part };
	part->started = true;
	if (!pthread_create(&w->thread, NULL, work, w))
		return;
	w->walk = NULL;
	pthread_mutex_lock(&d->lock);
	part->started = false;		/* the calling thread will aggregate the part */
	pthread_mutex_unlock(&d->lock);
}

static int walk_divided(struct hd_perf_input *in, size_t threads, struct hd_err *err)
{
	struct divided_walk d = { .in = in };
	struct worker *workers = hd_new_array(struct worker, threads);
	struct part *parts[THREADS_MAX];
	int rc;

	d.pf = hd_perf_view_new(in->pf, &d.log);
	d.proc = hd_process_view_new(in->spaces.proc);
	pthread_mutex_init(&d.lock, NULL);
	pthread_cond_init(&d.changed, NULL);
	divide(&d, threads);
	memcpy(parts, d.parts, threads * sizeof(*parts));
	for (size_t i = 1; i < threads; i++)
		start(&d, &workers[i], parts[i]);
	rc = take_parts(&d, err);
	for (size_t i = 1; i < threads; i++)
		if (workers[i].walk)
			pthread_join(workers[i].thread, NULL);
	for (size_t i = 0; i < d.nparts; i++) {
		free_own_state(d.parts[i]->own);
		free(d.parts[i]);
	}
	pthread_cond_destroy(&d.changed);
	pthread_mutex_destroy(&d.lock);
	hd_perf_view_free(d.pf);
	hd_process_view_free(d.proc);
	free(d.parts);
	free(workers);
	return rc;
}

/* Return false if the samples of an event have counter values, stack copies or deferred call chains. */
static bool divides_events(const struct hd_perf_input *in)
{
	size_t n;
	const struct hd_perf_attr *attrs = hd_perf_attrs(in->pf, &n);

	for (size_t i = 0; i < n; i++)
		if (attrs[i].deferred || attrs[i].sample_type & (PERF_SAMPLE_READ | PERF_SAMPLE_STACK_USER))
			return false;
	return true;
}

void hd_perf_input_begin_dividing(struct hd_perf_input *in)
{
	const struct hd_pipeline_opts *opts = in->request.opts;
	const struct hd_perf_file *file = hd_perf_file(in->pf);
	uint64_t mark_bytes = opts->mark_bytes ? opts->mark_bytes : MARK_BYTES;

	if (hd_perf_input_threads(in) > 1 && file->bytes >= LEAST_UNITS * mark_bytes && !file->dir &&
		!in->request.from->bundled && !opts->timed && !opts->squares && !opts->fields.n &&
		!opts->select.weight_field && !opts->select.filter && !hd_pipeline_weighs_spans(opts) &&
		divides_events(in))
		in->spaces.mark_bytes = mark_bytes;
}

bool hd_perf_input_walk_divided(struct hd_perf_input *in, int *rc, struct hd_err *err)
{
	size_t threads = hd_perf_input_threads(in), units = in->spaces.nmarks;

	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	if (threads > units / 2)
		threads = units / 2;
	if (threads < 2 || in->budget.spent || in->fields.per_sample || !divides_events(in) || in->unwinding.queue ||
		in->spaces.known_seq != UINT64_MAX || hd_process_has_guests(in->spaces.proc) ||
		!hd_perf_reads_beside(in->pf))
		return false;
	*rc = walk_divided(in, threads, err);
	return true;
}
