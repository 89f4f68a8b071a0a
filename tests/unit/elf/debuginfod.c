/* debuginfod.c - query servers for symbols: only if the user allows it, and only for a limited time */
#include "unit/symbols/workshop.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>

/* A server on this machine that has one file, or that never responds (`silent`). */
struct server {
	pthread_t thread;
	int fd;
	unsigned port;
	char *request;		/* the start of the request line that the server accepts */
	uint8_t *body;
	size_t n;
	bool silent;
	_Atomic unsigned asked;
	sem_t came;		/* semaphore, posted for each connection */
	int held[16];		/* connections that wait for a response */
	unsigned nheld;
};

/*
 * libdebuginfod writes with dprintf(), whose buffer the leak sanitizer reports if the library was built without the
 * sanitizer.  The report contains only the frames of the C library, not those of libdebuginfod.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:_IO_file_doallocate\n";
}

static void answer(struct server *s, int fd)
{
	char request[2048] = "";
	size_t got = 0;
	ssize_t n;

	while (got < sizeof(request) - 1 && !strstr(request, "\r\n\r\n") &&
		(n = read(fd, request + got, sizeof(request) - 1 - got)) > 0) {
		got += (size_t)n;
		request[got] = '\0';
	}
	if (s->request && !strncmp(request, s->request, strlen(s->request))) {
		char head[128];
		int len = snprintf(head, sizeof(head),
			"HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", s->n);

		if (write(fd, head, (size_t)len) < 0) {
			close(fd);
			return;
		}
		for (size_t at = 0; at < s->n && (n = write(fd, s->body + at, s->n - at)) > 0; at += (size_t)n)
			;
	} else {
		static const char none[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

		if (write(fd, none, sizeof(none) - 1) < 0) {
			close(fd);
			return;
		}
	}
	close(fd);
}

static void *serve(void *arg)
{
	struct server *s = arg;
	int fd;

	while ((fd = accept(s->fd, NULL, NULL)) >= 0) {
		s->asked++;
		sem_post(&s->came);
		if (!s->silent)
			answer(s, fd);
		else if (s->nheld < HD_COUNT(s->held))
			s->held[s->nheld++] = fd;
		else
			close(fd);
	}
	return NULL;
}

static void server_start(struct server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	char *url, *cache = textf("%s/cache", workshop);

	EXPECT(!sem_init(&s->came, 0, 0));
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	EXPECT(s->fd >= 0 && !bind(s->fd, (struct sockaddr *)&at, n) && !listen(s->fd, 8));
	EXPECT(!getsockname(s->fd, (struct sockaddr *)&at, &n));
	s->port = ntohs(at.sin_port);
	EXPECT(!pthread_create(&s->thread, NULL, serve, s));
	url = textf("http://127.0.0.1:%u/", s->port);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	setenv("no_proxy", "127.0.0.1", 1);
	unsetenv("http_proxy");
	unsetenv("DEBUGINFOD_PROGRESS");
	RUN_SH("rm -rf cache");
	free(url);
	free(cache);
}

static void server_stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->fd);
	sem_destroy(&s->came);
	for (unsigned i = 0; i < s->nheld; i++)
		close(s->held[i]);
	free(s->request);
	free(s->body);
	unsetenv("DEBUGINFOD_URLS");
}

static const char source[] =
	"static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) + hidden(x + 1); }\n"
	"void _start(void) { shown(1); for (;;) ; }\n";

/* Build a stripped app and its debug file.  Returns their build-id, which the caller frees. */
static char *build(void)
{
	put("s.c", source);
	RUN_SH("$CC -g -O1 -nostdlib -shared -fPIC -Wl,--build-id s.c -o whole && cp whole app && strip app && "
	       "objcopy --only-keep-debug whole app.dbg");
	return build_id_of("whole");
}

static void bench_asking(struct hd_bench *b, const char *name, bool ask, unsigned budget_ms)
{
	struct hd_symbols_opts opts = { .same_machine = true, .debuginfod = ask, .debuginfod_budget_ms = budget_ms };
	char *path = textf("%s/%s", workshop, name);

	bench_open(b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = path });
	free(path);
}

#ifdef HAVE_DEBUGINFOD
#define TOOLS() do { NEED("strip"); NEED("objcopy"); NEED("readelf"); NEED("nm"); } while (0)
#define TOLD_ABSENT(b)                                                                                                 \
	do {                                                                                                           \
		if (hd_log_find(&(b)->log, "symbols.debuginfod-absent")) {                                             \
			bench_close(b);                                                                                \
			server_stop(&s);                                                                               \
			SKIP("no libdebuginfod");                                                                      \
		}                                                                                                      \
	} while (0)
#else
#define TOOLS() SKIP("built without libdebuginfod")
#define TOLD_ABSENT(b) do { } while (0)
#endif

TEST(a_server_that_has_the_debug_file_gives_names_and_lines)
{
	struct server s = { 0 };
	struct hd_line_hit line;
	struct hd_bench b;
	char *id;

	TOOLS();
	id = build();
	s.request = textf("GET /buildid/%s/debuginfo ", id);
	s.body = slurp("app.dbg", &s.n);
	server_start(&s);
	bench_asking(&b, "app", true, 10000);
	free(id);
	TOLD_ABSENT(&b);
	EXPECT_STR(name_at(&b, foff_of("app", nm_of("whole", "hidden"))), "hidden");
	EXPECT(strstr(hd_object_source(b.o), "/cache/"));
	hd_object_line(b.o, nm_of("whole", "hidden"), &line);
	EXPECT(line.file && strstr(line.file, "s.c") && line.line == 1);
	bench_close(&b);
	server_stop(&s);
}

TEST(what_a_server_sends_is_used_only_when_it_is_the_build_that_was_asked_for)
{
	struct server s = { 0 };
	struct hd_bench b;
	char *id;

	TOOLS();
	id = build();
	s.request = textf("GET /buildid/%s/debuginfo ", id);
	RUN_SH("$CC -g -O0 -nostdlib -shared -fPIC -Wl,--build-id=0x1234 s.c -o other");
	s.body = slurp("other", &s.n);
	server_start(&s);
	bench_asking(&b, "app", true, 10000);
	free(id);
	TOLD_ABSENT(&b);
	EXPECT(s.asked);
	EXPECT_STR(name_at(&b, foff_of("app", nm_of("whole", "hidden"))), "-");
	bench_close(&b);
	server_stop(&s);
}

TEST(a_server_that_has_nothing_costs_nothing)
{
	struct server s = { 0 };
	struct hd_bench b;

	TOOLS();
	free(build());
	server_start(&s);
	bench_asking(&b, "app", true, 10000);
	TOLD_ABSENT(&b);
	EXPECT(s.asked);
	EXPECT_STR(name_at(&b, foff_of("app", nm_of("whole", "shown"))), "shown");
	EXPECT_STR(name_at(&b, foff_of("app", nm_of("whole", "hidden"))), "-");
	bench_close(&b);
	server_stop(&s);
}

TEST(nobody_is_asked_unless_the_caller_allows_it_and_the_variable_is_set)
{
	struct server s = { 0 };
	struct hd_bench b;

	TOOLS();
	free(build());
	server_start(&s);
	bench_asking(&b, "app", false, 10000);
	bench_close(&b);
	unsetenv("DEBUGINFOD_URLS");
	bench_asking(&b, "app", true, 10000);
	bench_close(&b);
	EXPECT_INT(s.asked, 0);
	server_stop(&s);
}

TEST(a_file_that_has_its_symbols_asks_nobody)
{
	struct server s = { 0 };
	struct hd_bench b;

	TOOLS();
	free(build());
	server_start(&s);
	bench_asking(&b, "whole", true, 10000);
	EXPECT_INT(s.asked, 0);
	bench_close(&b);
	server_stop(&s);
}

TEST(a_server_that_does_not_answer_uses_up_the_budget_with_one_connection)
{
	struct server s = { .silent = true };
	struct hd_bench b;
	char *path;

	TOOLS();
	free(build());
	RUN_SH("$CC -g -O0 -nostdlib -shared -fPIC -Wl,--build-id=0x1234 s.c -o app2 && strip app2");
	server_start(&s);
	bench_asking(&b, "app", true, 100);
	TOLD_ABSENT(&b);
	EXPECT(hd_log_find(&b.log, "symbols.debuginfod-budget"));
	sem_wait(&s.came);
	/*
	 * The time limit for all queries is used up, so neither a retry nor the second file may open another
	 * connection.
	 */
	path = textf("%s/app2", workshop);
	hd_symbols_object(b.sy, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = path });
	EXPECT_INT(s.asked, 1);
	free(path);
	bench_close(&b);
	server_stop(&s);
}

TEST(a_lower_limit_of_the_user_ends_a_question_before_the_budget_is_used_up)
{
	struct server s = { .silent = true };
	struct hd_bench b;

	TOOLS();
	free(build());
	server_start(&s);
	setenv("DEBUGINFOD_MAXTIME", "1", 1);
	bench_asking(&b, "app", true, 600000);
	unsetenv("DEBUGINFOD_MAXTIME");
	TOLD_ABSENT(&b);
	sem_wait(&s.came);
	EXPECT_INT(s.asked, 1);
	EXPECT(!hd_log_find(&b.log, "symbols.debuginfod-budget"));
	bench_close(&b);
	server_stop(&s);
}

WORKSHOP_MAIN(
	RUN(a_server_that_has_the_debug_file_gives_names_and_lines),
	RUN(what_a_server_sends_is_used_only_when_it_is_the_build_that_was_asked_for),
	RUN(a_server_that_has_nothing_costs_nothing),
	RUN(nobody_is_asked_unless_the_caller_allows_it_and_the_variable_is_set),
	RUN(a_file_that_has_its_symbols_asks_nobody),
	RUN(a_server_that_does_not_answer_uses_up_the_budget_with_one_connection),
	RUN(a_lower_limit_of_the_user_ends_a_question_before_the_budget_is_used_up),
)
