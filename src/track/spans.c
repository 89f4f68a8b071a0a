/*
 * spans.c - tasks of asynchronous programs, see hd_span_begin() in hotdrift.h
 *
 * A span is a task.  A poll is one stretch of its execution: from hd_span_enter() to hd_span_leave().  The open spans
 * are in a hash table, by id; the totals are in the table of names.  A ring buffer keeps the last polls for the CSV
 * file.
 */
#include "track/atomic_file.h"
#include "track/csvout.h"
#include "track/names.h"
#include "track/profiler.h"
#include "track/thread_id.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1024 };		/* limit for the number of threads that are counted per name */

struct open_span {
	hd_span_id id, parent;		/* id 0: a free slot */
	uint64_t since_ns;		/* start of the current poll or wait */
	/* time at which the span became ready: its first wake, or the end of the poll in which it was woken; 0: none */
	uint64_t woken_ns;
	uint32_t name, tid;		/* tid: thread of the current poll */
	bool busy;
};

struct span_name {
	struct hd_span_total total;
	uint32_t *tids;			/* ids of the threads that ran spans of the name, sorted */
};

struct poll {
	uint64_t t_ns, duration_ns;
	hd_span_id id, parent;
	uint32_t tid, name;
};

struct wake_count {
	uint32_t name, waker;		/* waker: id of the name + 1, or 0 */
	uint64_t n;			/* number of wakes; 0: a free slot */
};

struct spans {
	pthread_mutex_t lock;
	struct hd_names names;		/* the row of each name is a struct span_name */
	struct open_span *slots;
	size_t nslots, nopen;
	struct wake_count *wakes;
	size_t nwake_slots, nwakes;
	struct poll *polls;		/* poll i is in slot i % cap */
	size_t cap;
	uint64_t npolls;
	hd_span_id last_id;
};

/* Return the row of a name. */
static struct span_name *row_of(const struct spans *s, size_t id)
{
	return &((struct span_name *)s->names.rows)[id];
}

static size_t mix(uint64_t v, size_t nslots)
{
	return (size_t)((v * 0x9e3779b97f4a7c15u) >> 24) & (nslots - 1);
}

static struct open_span *slot_of(struct spans *s, hd_span_id id)
{
	size_t i = mix(id, s->nslots);

	while (s->slots[i].id && s->slots[i].id != id)
		i = (i + 1) & (s->nslots - 1);
	return &s->slots[i];
}

/* Return an open span, or NULL. */
static struct open_span *find_span(struct spans *s, hd_span_id id)
{
	struct open_span *o = id && s->nslots ? slot_of(s, id) : NULL;

	return o && o->id ? o : NULL;
}

static int reserve_span(struct spans *s)
{
	size_t nold = s->nslots, n = nold ? 2 * nold : 64;
	struct open_span *old = s->slots, *slots;

	if (2 * (s->nopen + 1) <= nold)
		return HD_TRACK_OK;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return HD_TRACK_NOMEM;
	s->slots = slots;
	s->nslots = n;
	for (size_t i = 0; i < nold; i++)
		if (old[i].id)
			*slot_of(s, old[i].id) = old[i];
	free(old);
	return HD_TRACK_OK;
}

/* Empty a slot of the hash table.  Move later spans back that a lookup would otherwise no longer find. */
static void remove_span(struct spans *s, struct open_span *o)
{
	size_t hole = (size_t)(o - s->slots), mask = s->nslots - 1;

	for (size_t i = (hole + 1) & mask; s->slots[i].id; i = (i + 1) & mask) {
		if (((i - mix(s->slots[i].id, s->nslots)) & mask) >= ((i - hole) & mask)) {
			s->slots[hole] = s->slots[i];
			hole = i;
		}
	}
	s->slots[hole].id = 0;
	s->nopen--;
}

/*
 * Add a thread to the set of threads that ran spans of a name.  If there is no memory, or the set has THREADS_MAX
 * threads, the thread is not counted.
 */
static void add_thread(struct span_name *of, uint32_t tid)
{
	size_t n = of->total.threads, at = 0;

	while (at < n && of->tids[at] < tid)
		at++;
	if ((at < n && of->tids[at] == tid) || n == THREADS_MAX)
		return;
	if (!(n & (n - 1)) || !of->tids) {	/* the capacity is the next power of two */
		uint32_t *tids = realloc(of->tids, (n ? 2 * n : 1) * sizeof(*tids));

		if (!tids)
			return;
		of->tids = tids;
	}
	memmove(&of->tids[at + 1], &of->tids[at], (n - at) * sizeof(*of->tids));
	of->tids[at] = tid;
	of->total.threads++;
}

/* Add the wait or the poll of span `o` that ends at now_ns to the totals. */
static void add_interval(struct hd_span_total *t, const struct open_span *o, uint64_t now_ns)
{
	uint64_t ns = now_ns - o->since_ns;

	if (o->busy) {
		t->busy_ns += ns;
		if (ns > t->longest_poll_ns)
			t->longest_poll_ns = ns;
		return;
	}
	t->idle_ns += ns;
	if (ns > t->longest_idle_ns)
		t->longest_idle_ns = ns;
	if (o->woken_ns)
		t->scheduled_ns += now_ns - o->woken_ns;
}

static void end_poll(struct spans *s, struct open_span *o, uint64_t now_ns)
{
	add_interval(&row_of(s, o->name)->total, o, now_ns);
	if (!s->polls)
		s->polls = calloc(s->cap, sizeof(*s->polls));
	if (s->polls)
		s->polls[s->npolls % s->cap] = (struct poll){ o->since_ns, now_ns - o->since_ns, o->id, o->parent,
			o->tid, o->name };
	s->npolls++;
	o->busy = false;
	o->since_ns = now_ns;
	if (o->woken_ns)			/* woken during the poll: it is ready from now on */
		o->woken_ns = now_ns;
}

static int begin_span(struct spans *s, const char *name, hd_span_id parent, hd_span_id *id)
{
	int64_t name_of = hd_names_add(&s->names, name);
	int rc = name_of < 0 ? (int)name_of : reserve_span(s);

	if (rc < 0)
		return rc;
	*id = ++s->last_id;
	*slot_of(s, *id) = (struct open_span){ .id = *id, .parent = parent, .since_ns = hd_now_ns(),
		.name = (uint32_t)name_of };
	s->nopen++;
	row_of(s, (size_t)name_of)->total.count++;
	row_of(s, (size_t)name_of)->total.open++;
	return HD_TRACK_OK;
}

int hd_span_begin(struct hd_profiler *p, const char *name, hd_span_id parent, hd_span_id *id)
{
	struct spans *s = hd_profiler_part(p, HD_PART_SPANS);
	int rc;

	if (!id)
		return HD_TRACK_INVALID;
	*id = 0;
	if (!s)
		return HD_TRACK_NOMEM;
	pthread_mutex_lock(&s->lock);
	rc = begin_span(s, name, parent, id);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static int enter_span(struct spans *s, hd_span_id id)
{
	struct open_span *o = find_span(s, id);
	uint64_t now = hd_now_ns();

	if (!o || o->busy)
		return HD_TRACK_ORDER;
	add_interval(&row_of(s, o->name)->total, o, now);
	row_of(s, o->name)->total.polls++;
	o->tid = hd_thread_id();
	add_thread(row_of(s, o->name), o->tid);
	o->busy = true;
	o->woken_ns = 0;
	o->since_ns = now;
	return HD_TRACK_OK;
}

static int leave_span(struct spans *s, hd_span_id id)
{
	struct open_span *o = find_span(s, id);

	if (!o || !o->busy || o->tid != hd_thread_id())
		return HD_TRACK_ORDER;
	end_poll(s, o, hd_now_ns());
	return HD_TRACK_OK;
}

static int end_span(struct spans *s, hd_span_id id)
{
	struct open_span *o = find_span(s, id);

	if (!o)
		return HD_TRACK_ORDER;
	if (o->busy)
		end_poll(s, o, hd_now_ns());
	else
		add_interval(&row_of(s, o->name)->total, o, hd_now_ns());
	row_of(s, o->name)->total.open--;
	remove_span(s, o);
	return HD_TRACK_OK;
}

/* Call fn() for a span with the lock held, and return its result. */
static int with_lock(struct hd_profiler *p, hd_span_id id, int (*fn)(struct spans *s, hd_span_id id))
{
	struct spans *s = hd_profiler_part(p, HD_PART_SPANS);
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	pthread_mutex_lock(&s->lock);
	rc = fn(s, id);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int hd_span_enter(struct hd_profiler *p, hd_span_id id)
{
	return with_lock(p, id, enter_span);
}

int hd_span_leave(struct hd_profiler *p, hd_span_id id)
{
	return with_lock(p, id, leave_span);
}

int hd_span_end(struct hd_profiler *p, hd_span_id id)
{
	return with_lock(p, id, end_span);
}

/* ---- wakes ---- */

/* Return the counter of how often spans named `waker` woke spans named `name`, or the free slot to insert it at. */
static struct wake_count *wake_slot(struct spans *s, uint32_t name, uint32_t waker)
{
	size_t i = mix((uint64_t)name << 32 | waker, s->nwake_slots);

	while (s->wakes[i].n && (s->wakes[i].name != name || s->wakes[i].waker != waker))
		i = (i + 1) & (s->nwake_slots - 1);
	return &s->wakes[i];
}

static int reserve_wake(struct spans *s)
{
	size_t nold = s->nwake_slots, n = nold ? 2 * nold : 64;
	struct wake_count *old = s->wakes, *wakes;

	if (2 * (s->nwakes + 1) <= nold)
		return HD_TRACK_OK;
	if (s->nwakes >= 16 * s->names.max)
		return HD_TRACK_FULL;
	wakes = calloc(n, sizeof(*wakes));
	if (!wakes)
		return HD_TRACK_NOMEM;
	s->wakes = wakes;
	s->nwake_slots = n;
	for (size_t i = 0; i < nold; i++)
		if (old[i].n)
			*wake_slot(s, old[i].name, old[i].waker) = old[i];
	free(old);
	return HD_TRACK_OK;
}

static int wake_span(struct spans *s, hd_span_id id, hd_span_id waker)
{
	struct open_span *o = find_span(s, id), *by = find_span(s, waker);
	struct wake_count *w;
	int rc;

	if (!o)
		return HD_TRACK_ORDER;
	row_of(s, o->name)->total.wakes++;
	row_of(s, o->name)->total.self_wakes += by == o;
	if (!o->woken_ns)
		o->woken_ns = hd_now_ns();
	rc = reserve_wake(s);
	if (rc < 0)
		return rc;
	w = wake_slot(s, o->name, by ? by->name + 1 : 0);
	s->nwakes += !w->n;
	*w = (struct wake_count){ o->name, by ? by->name + 1 : 0, w->n + 1 };
	return HD_TRACK_OK;
}

int hd_span_wake(struct hd_profiler *p, hd_span_id id, hd_span_id waker)
{
	struct spans *s = hd_profiler_part(p, HD_PART_SPANS);
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	pthread_mutex_lock(&s->lock);
	rc = wake_span(s, id, waker);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* ---- reports ---- */

static int compare_totals(const void *x, const void *y)
{
	const struct hd_span_total *a = x, *b = y;

	if (a->busy_ns != b->busy_ns)
		return a->busy_ns > b->busy_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static size_t total_rows(const struct spans *s, struct hd_span_total *rows)
{
	uint64_t now = hd_now_ns();
	size_t n = 0;

	for (size_t i = 0; i < s->names.n; i++) {
		rows[i] = row_of(s, i)->total;
		rows[i].name = s->names.texts[i];
	}
	for (size_t i = 0; i < s->nslots; i++)
		if (s->slots[i].id)
			add_interval(&rows[s->slots[i].name], &s->slots[i], now);
	for (size_t i = 0; i < s->names.n; i++)
		if (rows[i].count)
			rows[n++] = rows[i];
	qsort(rows, n, sizeof(*rows), compare_totals);
	return n;
}

int64_t hd_span_totals(struct hd_profiler *p, struct hd_span_total *out, size_t cap)
{
	struct spans *s = hd_profiler_part(p, HD_PART_SPANS);
	struct hd_span_total *rows;
	size_t n = 0;

	if (!s)
		return HD_TRACK_NOMEM;
	if (cap && !out)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&s->lock);
	rows = calloc(s->names.n + 1, sizeof(*rows));
	if (rows)
		n = total_rows(s, rows);
	pthread_mutex_unlock(&s->lock);
	if (!rows)
		return HD_TRACK_NOMEM;
	return hd_profiler_give_rows(out, cap, rows, n, sizeof(*rows));
}

static int compare_wakers(const void *x, const void *y)
{
	const struct hd_span_waker *a = x, *b = y;
	int c;

	if (a->wakes != b->wakes)
		return a->wakes > b->wakes ? -1 : 1;
	c = strcmp(a->name, b->name);
	return c ? c : strcmp(a->waker ? a->waker : "", b->waker ? b->waker : "");
}

int64_t hd_span_wakers(struct hd_profiler *p, struct hd_span_waker *out, size_t cap)
{
	struct spans *s = hd_profiler_part(p, HD_PART_SPANS);
	struct hd_span_waker *rows;
	size_t n = 0;

	if (!s)
		return HD_TRACK_NOMEM;
	if (cap && !out)
		return HD_TRACK_INVALID;
	pthread_mutex_lock(&s->lock);
	rows = malloc((s->nwakes + 1) * sizeof(*rows));
	for (size_t i = 0; rows && i < s->nwake_slots; i++) {
		const struct wake_count *w = &s->wakes[i];

		if (w->n)
			rows[n++] = (struct hd_span_waker){ s->names.texts[w->name],
				w->waker ? s->names.texts[w->waker - 1] : NULL, w->n };
	}
	pthread_mutex_unlock(&s->lock);
	if (!rows)
		return HD_TRACK_NOMEM;
	qsort(rows, n, sizeof(*rows), compare_wakers);
	return hd_profiler_give_rows(out, cap, rows, n, sizeof(*rows));
}

static void write_poll(struct hd_atomic_file *f, const struct poll *poll, const char *name)
{
	char room[256 + 4 * HD_NAME_BYTES];
	struct hd_csvout o = hd_csvout_to(room, sizeof(room));

	hd_csvout_u64(&o, poll->t_ns);
	hd_csvout_u64(&o, poll->duration_ns);
	hd_csvout_u64(&o, (uint64_t)getpid());
	hd_csvout_u64(&o, poll->tid);
	hd_csvout_u64(&o, poll->id);
	hd_csvout_u64(&o, poll->parent);
	hd_csvout_name(&o, name, strlen(name));
	hd_csvout_end(&o);
	hd_atomic_add(f, room, o.len);
}

int hd_spans_write_csv(struct hd_profiler *p, const char *path)
{
	static const char header[] = "t_ns,duration_ns,pid,tid,span,parent,name\n";
	struct spans *s = hd_profiler_part(p, HD_PART_SPANS);
	struct hd_atomic_file f;
	uint64_t kept = 0, first;
	struct poll *polls;
	char **texts;
	bool dropped;
	int rc;

	if (!s)
		return HD_TRACK_NOMEM;
	if (!path)
		return HD_TRACK_INVALID;
	/* Copy the polls under the lock and write the file after it, so that other threads do not wait for the file. */
	pthread_mutex_lock(&s->lock);
	if (s->polls)
		kept = s->npolls < s->cap ? s->npolls : s->cap;
	dropped = s->npolls > kept;
	first = s->npolls - kept;
	polls = malloc((kept + 1) * sizeof(*polls));
	texts = malloc((s->names.n + 1) * sizeof(*texts));
	for (uint64_t i = 0; polls && i < kept; i++)
		polls[i] = s->polls[(first + i) % s->cap];
	if (texts && s->names.n)
		memcpy(texts, s->names.texts, s->names.n * sizeof(*texts));
	pthread_mutex_unlock(&s->lock);
	rc = polls && texts ? hd_atomic_open(&f, path) : HD_TRACK_NOMEM;
	if (rc == HD_TRACK_OK) {
		hd_atomic_add(&f, header, strlen(header));
		for (uint64_t i = 0; i < kept; i++)
			write_poll(&f, &polls[i], texts[polls[i].name]);
		rc = hd_atomic_commit(&f);
	}
	free(polls);
	free(texts);
	return rc == HD_TRACK_OK && dropped ? HD_TRACK_FULL : rc;
}

/* ---- functions of struct hd_part_type (profiler.h) ---- */

static int create(void **state, const struct hd_profiler *p)
{
	struct spans *s = calloc(1, sizeof(*s));

	if (!s)
		return HD_TRACK_NOMEM;
	s->cap = p->config.timeline_events;
	s->names.max = p->config.names_max;
	s->names.row_size = sizeof(struct span_name);
	pthread_mutex_init(&s->lock, NULL);
	*state = s;
	return HD_TRACK_OK;
}

/*
 * Clear the totals, the wakes and the polls.  Open spans stay open, and their time counts from now on.  A poll that has
 * not ended counts, with its thread.
 */
static void reset(void *state)
{
	struct spans *s = state;
	uint64_t now = hd_now_ns();

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->names.n; i++)
		row_of(s, i)->total = (struct hd_span_total){ .threads = 0 };
	for (size_t i = 0; i < s->nslots; i++) {
		struct open_span *o = &s->slots[i];

		if (!o->id)
			continue;
		o->since_ns = now;
		o->woken_ns = o->woken_ns ? now : 0;
		row_of(s, o->name)->total.count++;
		row_of(s, o->name)->total.open++;
		row_of(s, o->name)->total.polls += o->busy;
		if (o->busy)
			add_thread(row_of(s, o->name), o->tid);
	}
	if (s->nwake_slots)
		memset(s->wakes, 0, s->nwake_slots * sizeof(*s->wakes));
	s->nwakes = 0;
	s->npolls = 0;
	pthread_mutex_unlock(&s->lock);
}

static void release(void *state)
{
	struct spans *s = state;

	pthread_mutex_destroy(&s->lock);
	for (size_t i = 0; i < s->names.n; i++)
		free(row_of(s, i)->tids);
	hd_names_release(&s->names);
	free(s->slots);
	free(s->wakes);
	free(s->polls);
	free(s);
}

static void lock(void *state, bool on)
{
	struct spans *s = state;

	hd_part_lock(&s->lock, on);
}

const struct hd_part_type hd_part_spans = { create, reset, release, lock };
