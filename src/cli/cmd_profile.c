/*
 * cmd_profile.c - hotdrift profile [MODE] ...: run the recorder, profile.sh
 *
 * The script parses its own options, so the command line is passed on as it is; their help is here, and the
 * script prints it by `hotdrift help profile`.  The script is found relative to this program:
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

/* The path of the running program; hd_fail without /proc. */
static int find_self(struct hd_buf *self, struct hd_err *err)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		return hd_fail_errno(err, HD_EIO, errno, "profile: /proc/self/exe, by which profile.sh is found");
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

/* `--print-mode [WORD]`: the row of a mode for profile.sh, or the words that select a mode. */
static int print_mode(const char *word, struct hd_err *err)
{
	const struct hd_profile_mode *m = word ? hd_profile_mode_find(word) : NULL;
	struct hd_buf out = { 0 };
	int rc;

	if (m)
		hd_profile_mode_print(&out, m);
	else
		hd_profile_mode_words(&out);
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
		signal(SIGPIPE, SIG_DFL);	/* main() ignores both; the recorded program must not inherit that */
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
		"Record a program with perf record (memory: with libhotdrift-heap.so; gpu: with nsys or "
		"libhotdrift-cuda.so),\n"
		"analyse the recording into results/<time>-<commit>/, add the run to the database, print the costliest "
		"symbols and\n"
		"what changed since the last run of the same target.\n"
		"\n"
		"modes:\n"
		"{modes}\n"
		"\n"
		"what to run:\n"
		"  (nothing)            the only target of hotdrift.ini\n"
		"  --target NAME        the target of hotdrift.ini: its build and run commands and\n"
		"                       settings; with CMD, CMD is run and NAME only names the row\n"
		"  --pid PID[,PID]      record these running processes and what they start, until they\n"
		"                       end, or for as long as CMD runs when one is given\n"
		"  --server CMD         start CMD, wait until it is ready, record it while the workload\n"
		"                       that is given as CMD runs, and stop it with SIGTERM\n"
		"  --ready CMD          with --server: it is ready when this shell command succeeds;\n"
		"                       default: when it listens on a socket\n"
		"  --ini FILE           this file instead of the repository's hotdrift.ini\n"
		"  --no-build           do not run the target's build command\n"
		"  --from FILE          analyse this recording instead of making one (marked fixture)\n"
		"  --symfs DIR          with --from: look for its programs below DIR\n"
		"\n"
		"how to record:\n"
		"  --duration SECONDS   end the recording after SECONDS, and with it CMD\n"
		"  --event E            default cycles, or cpu-clock where there is no cycle counter\n"
		"  --freq HZ            samples a second and CPU, default 997, fewer under --max-size\n"
		"  --call-graph HOW     auto (default; fp, dwarf or lbr, whichever suits the program),\n"
		"                       fp (the program keeps frame pointers), dwarf (copies of the\n"
		"                       stack, their size chosen by --max-size), dwarf,BYTES of stack\n"
		"                       a sample, lbr\n"
		"  --max-size SIZE      keep the recording below SIZE (100M, 1G, or bytes; default\n"
		"                       100M): chooses the copies and the frequency that were not\n"
		"                       given; the recording ends when it reaches SIZE, CMD does not;\n"
		"                       not for memory, whose recording grows with distinct stacks\n"
		"  --replan             choose stacks and frequency anew, instead of reusing what was\n"
		"                       chosen for the target on this machine\n"
		"  --cpus N             how many CPUs it keeps busy, for that choice; default all\n"
		"  --all-cpus           everything that runs on the machine meanwhile\n"
		"  --wall               async: threads at work are in the picture, too\n"
		"  --tokio-console      async: run tokio-console beside CMD, on this terminal, if it is\n"
		"                       installed; CMD must be built for it (console-subscriber)\n"
		"  --compress LEVEL     let perf compress the recording, 1 to 22\n"
		"  --perf PATH          this perf; also HOTDRIFT_PERF or PERF in the environment\n"
		"  --allow-sysctl       lower kernel.perf_event_paranoid while recording\n"
		"  --check              only say whether perf can record here, and if not, why\n"
		"  --print-mode [MODE]  print what MODE passes to perf and to the analysis, as KEY=VALUE;\n"
		"                       without MODE, the names of the modes\n"
		"\n"
		"how to record memory:\n"
		"  --interval SIZE      one allocation in so many bytes is recorded (default 64K; the\n"
		"                       figures are estimates, and their errors are told)\n"
		"  --exact              every allocation is\n"
		"  --adaptive           every allocation at first, then fewer wherever that would take\n"
		"                       more than 3 % of the time\n"
		"  --mmap               also what CMD maps itself with mmap\n"
		"  --rss HOW            memory.csv's resident memory: rss_stat (each change, by perf; root),\n"
		"                       statm (asked for every 10 ms), none; default auto, the best there is\n"
		"  --kv-cache GLOBS, --activation GLOBS, --temp-buffer GLOBS\n"
		"                       functions whose blocks are of these classes, in memory.csv;\n"
		"                       hotdrift.ini has them by target\n"
		"  --faults             page faults instead, by perf: where memory is first touched\n"
		"\n"
		"what to keep:\n"
		"  --results DIR        default: results, or what hotdrift.ini says\n"
		"  --db PATH            default: hotspots.db in the results folder\n"
		"  --no-db              add no row\n"
		"  --no-bundle          keep no perf.hdb, the recording with the symbols it needs\n"
		"  --no-log             keep no run.log, and leave CMD's output on this terminal\n"
		"  --config FILE        the configuration of the run: its hash is stored\n"
		"  --latency FILE, --memory FILE, --power FILE, --results-csv FILE\n"
		"                       CSV files that CMD writes: their series are part of the run\n"
		"  --series NAME=FILE   any other CSV file that CMD writes; may be given again\n"
		"  --work N             units of work that CMD does\n"
		"  --top N              print N symbols, default 5\n"
		"  --result-path FILE   write the path of the results folder into FILE\n"
		"  --session WORD       what the runs of one job share; `all` makes one up\n"
		"\n"
		"An interrupt (Ctrl-C, TERM) ends the recording: it is kept, marked interrupted, and\n"
		"never a baseline.\n"
		"\n"
		"Exit: 0 fine, or interrupted with something recorded; 2 usage; 5 a bad hotdrift.ini,\n"
		"or a recording that is damaged or has no samples (CMD was too short); 6 CMD failed\n"
		"(what was recorded is kept, marked failed), nothing can be recorded here, or other trouble.",
	.examples = "hotdrift profile -- ./build/app args\twhere the processor time of a program goes\n"
		    "hotdrift profile async --target serve\twhere a target of hotdrift.ini waits\n"
		    "hotdrift profile gpu -- python3 train.py\tkernels, copies and idle times of a GPU\n"
		    "hotdrift profile power -- ./build/app\thow many joules a run takes\n"
		    "hotdrift profile --pid 4711 --duration 10\tten seconds of a running process\n"
		    "hotdrift profile --server './srv -p 8080' -- ./load\ta server under a workload\n",
	.max_args = -1,
	.raw_args = true,
	.run = profile_run,
};
