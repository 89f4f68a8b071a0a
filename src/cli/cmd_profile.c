/*
 * cmd_profile.c - hotdrift profile [MODE] ...: execute profile.sh
 *
 * The script parses its options, so the command line is passed unchanged.  The help text is here; the script
 * prints it by `hotdrift help profile`.  The script is located relative to this program:
 * PREFIX/libexec/hotdrift/profile.sh beside PREFIX/bin, or scripts/profile.sh beside the build folder of a checkout.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "base/file.h"
#include "profile/mode.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set `self` to the path of the running program.  Fails without /proc. */
static int find_self(struct hd_buf *self, struct hd_err *err)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		return hd_fail_errno(err, HD_EIO, errno, "profile: /proc/self/exe, which locates profile.sh");
	hd_buf_adds(self, path);
	free(path);
	return 0;
}

/* Set `script` to the profile.sh that belongs to `self`. */
static int find_script(struct hd_buf *script, const char *self, struct hd_err *err)
{
	static const char *const places[] = {
		"../libexec/hotdrift/profile.sh",
		"../scripts/profile.sh",
		"../../scripts/profile.sh",	/* make O=build/NAME */
	};
	int folder = (int)(strrchr(self, '/') - self);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		hd_buf_reset(script);
		hd_buf_addf(script, "%.*s/%s", folder, self, places[i]);
		if (access(script->data, X_OK) == 0)
			return 0;
	}
	return hd_fail(err, HD_EIO,
		"profile: there is no profile.sh beside %s (none of %s, %s, %s); 'make install' installs it", self,
		places[0], places[1], places[2]);
}

/*
 * Implement `--print-mode [WORD]`, for profile.sh: print the properties of a mode and the version of this program, or
 * the words that select a mode.
 */
static int print_mode(const char *word, struct hd_err *err)
{
	const struct hd_profile_mode *m = word ? hd_profile_mode_find(word) : NULL;
	struct hd_buf out = { 0 };
	int rc;

	if (m) {
		hd_profile_mode_print(&out, m);
		hd_buf_addf(&out, "version=%s\n", HD_VERSION);
	} else {
		hd_profile_mode_words(&out);
	}
	if (word && !m) {
		rc = hd_fail(err, HD_EUSAGE, "profile: unknown mode '%s'; the modes are %s", word, hd_buf_str(&out));
	} else {
		if (!m)
			hd_buf_addc(&out, '\n');
		rc = hd_file_write("-", &out, err);
	}
	hd_buf_release(&out);
	return rc;
}

static int profile_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf self = { 0 }, script = { 0 };
	char **words = NULL;
	int rc;

	(void)opts;
	(void)log;
	if (argc && !strcmp(argv[0], "--print-mode"))
		return print_mode(argv[1], err);
	rc = find_self(&self, err);
	if (rc >= 0)
		rc = find_script(&script, self.data, err);
	if (rc >= 0) {
		words = hd_new_array(char *, (size_t)argc + 2);
		words[0] = script.data;
		memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
		setenv("HOTDRIFT", self.data, 0);	/* the script runs this program, not another one in PATH */
		setenv("HOTDRIFT_DOOR", "hotdrift profile", 1);
		/* main() ignores SIGPIPE and SIGXFSZ, but the recorded program must not ignore them */
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		execv(script.data, words);
		rc = hd_fail_errno(err, HD_EIO, errno, "profile: %s cannot be run", script.data);
	}
	free(words);
	hd_buf_release(&self);
	hd_buf_release(&script);
	return rc;
}

const struct hd_cmd hd_cmd_profile = {
	.name = "profile",
	.args = "[MODE] [options] [--] CMD [ARGS...]",
	.summary = "record a program, analyse the recording and add the run to the database",
	.details =
		"Records a program with perf record (memory: libhotdrift-heap.so; gpu: nsys or libhotdrift-cuda.so), "
		"analyses the recording into results/<time>-<commit>/, adds the run to the database, and prints the "
		"costliest symbols and what changed since the last run of the same target.\n"
		"\n"
		"modes:\n"
		"{modes}\n"
		"\n"
		"what to run:\n"
		"  (nothing)            the only target of hotdrift.ini\n"
		"  --target NAME        build and run a target of hotdrift.ini with its settings; if CMD is given, "
		"CMD runs and NAME is only the name of the run\n"
		"  --pid PID[,PID]      record these running processes and the processes that they start, until they "
		"end, or while CMD runs if it is given\n"
		"  --server CMD         start CMD, wait until it is ready, record it while the workload after -- "
		"runs, and stop it with SIGTERM\n"
		"  --ready CMD          with --server: the server is ready when this shell command succeeds; "
		"default: when it listens on a socket\n"
		"  --ini FILE           read FILE instead of the repository's hotdrift.ini\n"
		"  --no-build           do not run the target's build command\n"
		"  --from FILE          analyse this recording instead of making one (marked fixture)\n"
		"  --symfs DIR          with --from: look for its programs below DIR\n"
		"\n"
		"how to record:\n"
		"  --duration SECONDS   end the recording, and CMD, after SECONDS, a whole number\n"
		"  --event E            default cycles, or cpu-clock without a cycle counter\n"
		"  --freq HZ            samples per second and CPU, default 997, fewer under --max-size\n"
		"  --call-graph HOW     auto (default; the best of fp, dwarf and lbr for the program), fp (the "
		"program keeps frame pointers), dwarf (copies of the stack, sized by --max-size), dwarf,BYTES of "
		"stack per sample, lbr\n"
		"  --max-size SIZE      keep the recording below SIZE (100M, 1G, or bytes; default 100M) by choosing "
		"stack copies and frequency, unless given; at SIZE the recording ends, but not CMD; not for memory, "
		"where size depends on distinct stacks\n"
		"  --replan             choose stacks and frequency anew, instead of reusing the choice stored for "
		"the target on this machine\n"
		"  --cpus N             number of CPUs that CMD keeps busy, for that choice; default all\n"
		"  --all-cpus           record everything that runs on the machine\n"
		"  -e, -F, -p, -a, -g   as in perf record: --event, --freq, --pid, --all-cpus; -g is the default\n"
		"  --wall               async: include threads that run\n"
		"  --tokio-console      async: run tokio-console next to CMD, on this terminal, if it is installed; "
		"CMD must be built for it (console-subscriber)\n"
		"  --compress LEVEL     compress the recording with perf record -z, 1 to 22\n"
		"  --perf PATH          path of perf; also HOTDRIFT_PERF or PERF in the environment\n"
		"  --allow-sysctl       lower kernel.perf_event_paranoid while recording\n"
		"  --check              only report whether perf can record here, and if not, why\n"
		"  --print-mode [MODE]  print the settings of MODE for perf and the analysis, and the version, as "
		"KEY=VALUE, or without MODE the names of the modes\n"
		"\n"
		"how to record memory:\n"
		"  --interval SIZE      record one allocation per SIZE bytes on average (default 64K); the figures "
		"are estimates, and their errors are reported\n"
		"  --exact              record every allocation\n"
		"  --adaptive           record every allocation at first, then fewer where that would take more than "
		"3 % of the time\n"
		"  --mmap               also record mappings that CMD creates with mmap\n"
		"  --rss HOW            source of resident memory in memory.csv: rss_stat (each change, by perf; "
		"needs root), statm (every 10 ms), none; default auto, the best available\n"
		"  --kv-cache GLOBS, --activation GLOBS, --temp-buffer GLOBS\n"
		"                       functions whose blocks belong to these classes in memory.csv; hotdrift.ini "
		"has them per target\n"
		"  --faults             record page faults with perf instead: the places that touch memory first\n"
		"\n"
		"what to keep:\n"
		"  --results DIR        default: the folder in hotdrift.ini, or results in the root of the checkout\n"
		"  --db PATH            default: $HOTDRIFT_DB, db = in hotdrift.ini, or hotspots.db in the results "
		"folder\n"
		"  --no-db              do not add the run to a database\n"
		"  --no-bundle          do not write perf.hdb, the recording with its symbols\n"
		"  --no-log             do not write run.log, and leave CMD's output on this terminal\n"
		"  --config FILE        configuration of the run; its hash is stored\n"
		"  --latency FILE, --memory FILE, --power FILE, --results-csv FILE\n"
		"                       CSV files that CMD writes; their series are part of the run\n"
		"  --series NAME=FILE   any other CSV file that CMD writes; may be repeated\n"
		"  --work N             units of work that CMD does\n"
		"  --top N              print N symbols, default 5\n"
		"  --result-path FILE   write the path of the results folder into FILE\n"
		"  --session WORD       name that all runs of one job share; `all` generates one\n"
		"\n"
		"An interrupt (Ctrl-C, TERM) ends the recording.  It is kept, marked interrupted, and never a "
		"baseline.\n"
		"\n"
		"Exit: 0 success, or interrupted with something recorded; 2 usage error; 5 invalid hotdrift.ini, or "
		"a recording that is damaged or has no samples (CMD was too short); 6 CMD failed (the recording is "
		"kept, marked failed), nothing can be recorded here, or another failure.",
	.examples =
		"hotdrift profile -- ./build/app args\twhere the processor time of a program goes\n"
		"hotdrift profile async --target serve\twhere a target of hotdrift.ini waits\n"
		"hotdrift profile gpu -- python3 train.py\tkernels, copies and idle times of a GPU\n"
		"hotdrift profile power -- ./build/app\tjoules of a run\n"
		"hotdrift profile --pid 4711 --duration 10\tten seconds of a running process\n"
		"hotdrift profile --server './srv -p 8080' -- ./load\ta server under a workload\n"
		"",
	.max_args = -1,
	.raw_args = true,
	.run = profile_run,
};
