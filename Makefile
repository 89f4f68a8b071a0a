# hotdrift - one Makefile, not recursive over src/
#
#   make            build/hotdrift             O=dir      build there instead of build/
#   make demo       profile a real workload    DEV=1      -Werror and -O1
#   make check      set up, then every test    SAN=a,b    -fsanitize=a,b (address,undefined)
#   make help       all targets                V=1        show the commands
#                                              CC=clang   another compiler

O      ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
PREFIX ?= /usr/local
Q      := $(if $(V),,@)
say     = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)'; )
# `make check` and `make demo` use all cores unless -j was given.
JOBS    = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))

VERSION := 0.1.0
PKGS    := libelf libdw libtraceevent libseccomp sqlite3 libzstd liblzma libdeflate zlib
# The program loads these at run time, because linking them makes every start slower: libcrypto to hash, libdebuginfod
# if DEBUGINFOD_URLS is set, libpq if --db names a PostgreSQL server, capstone to disassemble, ncursesw for tui.  Only
# their headers are needed here; all but libcrypto are optional.
OPT_PKGS := libcrypto \
	$(foreach p,libdebuginfod libpq capstone ncursesw,$(shell pkg-config --exists $(p) 2>/dev/null && echo $(p)))

CPPFLAGS += -Isrc -Iinclude -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DHD_VERSION='"$(VERSION)"'
CPPFLAGS += $(shell pkg-config --cflags $(PKGS) $(OPT_PKGS) 2>/dev/null)
CPPFLAGS += $(if $(filter libdebuginfod,$(OPT_PKGS)),-DHAVE_DEBUGINFOD) $(if $(filter libpq,$(OPT_PKGS)),-DHAVE_LIBPQ)
CPPFLAGS += $(if $(filter capstone,$(OPT_PKGS)),-DHAVE_CAPSTONE) $(if $(filter ncursesw,$(OPT_PKGS)),-DHAVE_NCURSESW)
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unused-parameter
CFLAGS   ?= $(if $(DEV),-O1,-O2)
# The target machine.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
# -fstack-clash-protection detects stacks that grow past their guard page; -fcf-protection marks indirect jump targets.
HARDEN := $(if $(filter x86_64-% aarch64-%,$(MACHINE)),-fstack-clash-protection)
HARDEN += $(if $(filter x86_64-%,$(MACHINE)),-fcf-protection)
# The C library checks sizes in optimised code only, and warns otherwise.
OPTIMISED := $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
FORTIFY := $(if $(SAN),,$(if $(OPTIMISED),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
# Frame pointers are kept so that hotdrift can be profiled with hotdrift.
ALL_CFLAGS := -std=gnu11 -g $(CFLAGS) $(WARN) -fPIE -fno-omit-frame-pointer -fstack-protector-strong -pthread
ALL_CFLAGS += $(HARDEN) $(FORTIFY)
ALL_CFLAGS += $(if $(DEV),-Werror) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
ALL_LDFLAGS := $(LDFLAGS) -pie -Wl,-z,relro,-z,now,--as-needed -pthread $(if $(SAN),-fsanitize=$(SAN))
comma   := ,
# perfdata/decompress.c calls functions of libzstd that only its static library guarantees; without one it does not.
ZSTD_A  := $(wildcard $(shell $(CC) -print-file-name=libzstd.a))
CPPFLAGS += $(if $(ZSTD_A),,-DHD_ZSTD_STABLE)
LIBS     = $(patsubst -lzstd,$(if $(ZSTD_A),-Wl$(comma)--exclude-libs$(comma)libzstd.a $(ZSTD_A),-lzstd),\
	$(shell pkg-config --libs $(PKGS) 2>/dev/null)) -liberty -lm

# libcurl is loaded at run time as well, when a profile is pushed.  Only one object needs its headers.
$(O)/src/remote/http.o: private CPPFLAGS += $(if $(shell pkg-config --exists libcurl && echo yes),-DHAVE_CURL) \
	$(shell pkg-config --cflags libcurl 2>/dev/null)

# Code that runs inside other programs is built as separate libraries.
GUEST := $(sort $(wildcard src/preload/*.c))
CUDASRC := $(sort $(wildcard src/inject/*.c))
SRC   := $(filter-out $(GUEST) $(CUDASRC),$(sort $(wildcard src/*/*.c)))	# a new file needs no edit here
OBJ   := $(SRC:%.c=$(O)/%.o) $(O)/gen/assets.o
LIBOBJ := $(filter-out $(O)/src/cli/main.o,$(OBJ))
ASSET := $(sort $(wildcard schema/*.sql schema/*/*.sql src/render/*.js src/render/*.css src/web/html/*))
# The chart library of `hotdrift html` (Debian: libjs-dygraphs) is embedded if it is installed.
CHARTS := $(if $(wildcard /usr/share/javascript/dygraphs/dygraph.min.js),\
	$(addprefix $(O)/gen/dygraph.,min.js min.css copyright))
UNIT  := $(sort $(wildcard tests/unit/*/*.c))
FUZZ  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# Unit tests that must pass on SQLite and on a PostgreSQL server.
PGUNIT := history/run_add history/run_load history/merge history/prune history/run_from_profile history/hotspot_rest \
	history/trend history/opportunities trust/chain trust/tamper trust/anchor trust/since gate/expect gate/judge
PGBIN := $(O)/tests/pg/server $(addprefix $(O)/tests/unit/,$(PGUNIT))
UNITBIN := $(UNIT:tests/%.c=$(O)/tests/%)
FUZZBIN := $(FUZZ:tests/fuzz/%.c=$(O)/fuzz/%)
FAULT := $(O)/tests/fault/shim.so $(O)/tests/fault/drive
STATBIN := $(patsubst tests/%.c,$(O)/tests/%,$(sort $(wildcard tests/stats/*.c)))

# $(call python,SUITE,COMMAND): run a suite that needs python3, or skip it.
comma := ,
python = if command -v python3 >/dev/null; then $(2); else \
	echo 'skipped: $(1): python3 is not installed'; echo '$(1): 0 passed, 0 failed, 1 skipped'; fi

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

# The recorder of allocations supports x86-64 and aarch64.
HEAPLIB := $(if $(filter x86_64-% aarch64-%,$(MACHINE)),$(O)/libhotdrift-heap.so)

# The recorder of GPU activities builds without a GPU and without CUDA.
CUDALIB := $(if $(HEAPLIB),$(O)/libhotdrift-cuda.so)

# libhotdrift, for programs that measure themselves.
TRACKLIB := $(O)/libhotdrift.a $(O)/libhotdrift.so

## build the program, libhotdrift, and the libraries that record allocations and GPU activities
all: $(O)/hotdrift $(HEAPLIB) $(CUDALIB) $(TRACKLIB)

$(O)/hotdrift: $(O)/src/cli/main.o $(O)/libhd.a
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# The library is loaded into every process of a workload: it needs libc only and exports only its hooks.  The flags keep
# its own frames out of the stack between malloc() and the caller.
# There is no _FORTIFY_SOURCE in such libraries: a check that fails would end the program.
# A package build maps its folder to a fixed name, so that the bytes do not depend on it.
PREFIXMAP := $(filter -ffile-prefix-map=%,$(CFLAGS))
HEAPSRC := $(GUEST) $(sort $(wildcard src/cfi/*.c))
HEAPFLAGS := -std=gnu11 -g -O2 $(WARN) $(if $(DEV),-Werror) -fPIC -fstack-protector-strong $(HARDEN) \
	$(PREFIXMAP) -fvisibility=hidden -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc \
	-fno-builtin-free -fno-plt -foptimize-sibling-calls
GUESTLD := -shared -Wl,-z,relro,-z,now,-z,defs,--as-needed
HEAPOBJ := $(HEAPSRC:%.c=$(O)/heap/%.o)
$(O)/heap/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -D_GNU_SOURCE $(HEAPFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift-heap.so: $(HEAPOBJ) src/preload/export.map
	$(call say,LD,$@)$(CC) $(HEAPFLAGS) $(GUESTLD) -Wl,--version-script=src/preload/export.map -o $@ $(HEAPOBJ)

# The CUDA driver loads this library into a program: it needs libc only and exports two functions.  Frame pointers let
# perf find its callers.
CUDAFLAGS := -std=gnu11 -g -O2 -D_FILE_OFFSET_BITS=64 $(WARN) $(if $(DEV),-Werror) -fPIC -fno-omit-frame-pointer \
	-fstack-protector-strong $(HARDEN) $(PREFIXMAP) -fvisibility=hidden -pthread
CUDAOBJ := $(CUDASRC:%.c=$(O)/cuda/%.o)
$(O)/cuda/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -D_GNU_SOURCE $(CUDAFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift-cuda.so: $(CUDAOBJ) src/inject/export.map
	$(call say,LD,$@)$(CC) $(CUDAFLAGS) $(GUESTLD) -Wl,--version-script=src/inject/export.map,-Bsymbolic-functions \
		-o $@ $(CUDAOBJ)

# libhotdrift needs libc only (with its libm).  It exports the functions of include/hotdrift.h.  The static library is
# one object in which all other names are local, so that they cannot collide with names of the program.  dlclose() does
# not unload the shared one (nodelete), because threads that exit later still call its destructor.
TRACKABI := 1
TRACKSRC := $(sort $(wildcard src/track/*.c src/stats/*.c))
TRACKOBJ := $(TRACKSRC:%.c=$(O)/track/%.o)
TRACKFLAGS := -std=gnu11 -g -O2 -D_FILE_OFFSET_BITS=64 $(WARN) $(if $(DEV),-Werror) -fPIC -fno-omit-frame-pointer \
	-fstack-protector-strong $(HARDEN) $(PREFIXMAP) -fvisibility=hidden -ffunction-sections -fdata-sections -pthread
OBJCOPY ?= objcopy
$(O)/track/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -Iinclude -D_GNU_SOURCE -DHD_VERSION='"$(VERSION)"' \
		$(TRACKFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift.so: $(TRACKOBJ) src/track/export.map
	$(call say,LD,$@)$(CC) $(TRACKFLAGS) $(GUESTLD) \
		-Wl,--gc-sections,-z,nodelete,-soname,libhotdrift.so.$(TRACKABI) \
		-Wl,--version-script=src/track/export.map,-Bsymbolic-functions -o $@ $(TRACKOBJ) -lm && \
		ln -sf libhotdrift.so $@.$(TRACKABI)
$(O)/libhotdrift.a: $(TRACKOBJ) src/track/export.map
	$(call say,AR,$@)$(CC) -r -nostdlib -o $(O)/track/libhotdrift.o $(TRACKOBJ) && \
		grep -o 'hd_[a-z0-9_]*' src/track/export.map > $(O)/track/exported && \
		$(OBJCOPY) --keep-global-symbols=$(O)/track/exported $(O)/track/libhotdrift.o && \
		rm -f $@ && $(AR) rcs $@ $(O)/track/libhotdrift.o

# All objects except main(), for the unit tests and the fuzz targets.
$(O)/libhd.a: $(LIBOBJ)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Write stdin to $@ if that changes the file.  Suites run make at the same time, so each uses its own new file ($$$$).
keep = new=$@.$$$$ && cat > $$new && if cmp -s $$new $@; then rm -f $$new; else mv $$new $@; fi
# Objects depend on the flags that they were compiled with, so that one O never mixes flavours.
every_flag = $(strip $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(HEAPFLAGS) $(CUDAFLAGS) $(TRACKFLAGS))
$(O)/flags: FORCE
	@mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(every_flag))' | { $(keep); }
FORCE:

$(O)/gen/assets.c: $(ASSET) $(CHARTS) $(O)/gen/assets scripts/embed
	$(call say,EMBED,$@)scripts/embed $(ASSET) $(CHARTS) > $@
# The list of assets, so that a file that is added or removed triggers a new gen/assets.c.
$(O)/gen/assets: FORCE
	@mkdir -p $(@D) && echo '$(ASSET) $(CHARTS)' | { $(keep); }
# Drop the line that refers to a source map, which is not embedded.
$(O)/gen/dygraph.min.%: /usr/share/javascript/dygraphs/dygraph.min.%
	@mkdir -p $(@D) && sed -e 's,^//# sourceMappingURL=.*,,' -e 's,/\*# sourceMappingURL=[^*]*\*/,,' $< > $@
$(O)/gen/dygraph.copyright: /usr/share/doc/libjs-dygraphs/copyright
	@mkdir -p $(@D) && cp $< $@
$(O)/gen/assets.o: $(O)/gen/assets.c
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# ---- tests

# Test programs that use nothing of the project, so that they cannot share its bugs.
TESTCC = $(CC) -std=gnu11 -g -O1 $(WARN) $(if $(DEV),-Werror)
# Test programs that link the project.
LINKED = $(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) $(ALL_LDFLAGS)
# The unit tests are a third of all code, and each runs once.  Without optimisation they compile in less than half of
# the time.  They test the code of libhd.a, which is optimised in any case.
UNITFLAGS = $(filter-out -O% -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE%,$(ALL_CFLAGS)) -O0
$(O)/tests/unit/%: tests/unit/%.c tests/test.h $(O)/libhd.a
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -Itests $(UNITFLAGS) $(ALL_LDFLAGS) -MMD -MP -o $@ $< \
		$(O)/libhd.a $(LIBS) -lcmocka
$(O)/tests/%: tests/%.c tests/test.h $(O)/libhd.a
	$(call say,CC,$<)mkdir -p $(@D) && $(LINKED) -MMD -MP -o $@ $< $(O)/libhd.a $(LIBS) -lcmocka
INJECTION := $(wildcard tests/injection/*.c)
$(O)/tests/injection/make-recording: $(INJECTION) tests/injection/plants.h
	$(call say,CC,tests/injection)mkdir -p $(@D) && $(TESTCC) -o $@ $(INJECTION)
MUTANTS := $(filter-out tests/mutants/program.c,$(wildcard tests/mutants/*.c))
$(O)/tests/mutants/mutants: $(MUTANTS) tests/mutants/mutants.h
	$(call say,CC,tests/mutants)mkdir -p $(@D) && $(TESTCC) -o $@ $(MUTANTS) -lzstd
# Always with -O2, because it computes rates over tens of thousands of cases.
DRIFTBENCH := $(wildcard tests/bench/drift/*.c)
$(O)/tests/bench/drift/drift: $(DRIFTBENCH) tests/bench/drift/bench.h tests/stats/answers.h $(O)/libhd.a
	$(call say,CC,tests/bench/drift)mkdir -p $(@D) && $(LINKED) -O2 -o $@ $(DRIFTBENCH) $(O)/libhd.a $(LIBS)
$(O)/tests/limited: tests/limited.c
	$(call say,CC,$<)mkdir -p $(@D) && $(TESTCC) -o $@ $<
# The shim sits between a program and the C library, so it is never instrumented, not even with SAN=.
$(O)/tests/fault/shim.so: tests/fault/shim.c
	$(call say,CC,$<)mkdir -p $(@D) && $(TESTCC) -D_GNU_SOURCE -fPIC -shared -o $@ $<
$(O)/tests/fault/drive: tests/fault/drive.c
	$(call say,CC,$<)mkdir -p $(@D) && $(TESTCC) -D_GNU_SOURCE -o $@ $< -lsqlite3
# A stand-in for the NVIDIA driver's library; -old lacks the newer functions.
$(O)/tests/gpu/standin/nvml.so $(O)/tests/gpu/standin/nvml-old.so: tests/gpu/standin/nvml.c
	$(call say,CC,$@)mkdir -p $(@D) && $(TESTCC) $(if $(findstring old,$@),-DOLD) -fPIC -shared \
		-fvisibility=hidden -o $@ $<
$(O)/tests/unit/track/nvml: $(O)/tests/gpu/standin/nvml.so $(O)/tests/gpu/standin/nvml-old.so
$(O)/tests/gpu/standin/libcuda.so.1: tests/gpu/standin/cuda.c
	$(call say,CC,$@)mkdir -p $(@D) && $(TESTCC) -fPIC -shared -fvisibility=hidden -Wl,-soname,libcuda.so.1 -o $@ $<
$(O)/tests/unit/track/gpu_memory: $(O)/tests/gpu/standin/nvml.so $(O)/tests/gpu/standin/libcuda.so.1
$(O)/tests/unit/track/memory: $(HEAPLIB)
# Allocations fail in this test, which defines the functions that the library then calls.
$(O)/tests/unit/track/out_of_memory: $(O)/tests/gpu/standin/nvml.so
$(O)/tests/unit/track/out_of_memory: private LIBS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
# If CUDA is installed, its nvml.h is compared with track/nvml.h.
NVML_H := $(firstword $(wildcard /usr/include/nvml.h /usr/local/cuda*/include/nvml.h \
	/usr/local/cuda*/targets/*/include/nvml.h))
$(O)/tests/unit/track/nvml: private CPPFLAGS += $(if $(NVML_H),-idirafter $(dir $(NVML_H)))
$(O)/fuzz/%: tests/fuzz/%.c $(O)/tests/fuzz/replay.o $(O)/libhd.a
	$(call say,CC,$<)mkdir -p $(@D) && $(LINKED) -MMD -MP -o $@ $< $(O)/tests/fuzz/replay.o $(O)/libhd.a $(LIBS)

export O CC DEV SAN DIR UPDATE N SEED

## set up what is missing, then run every test
check:
	@scripts/setup.sh --tests
	@$(MAKE) --no-print-directory $(JOBS) check-nosetup
check-nosetup: all $(UNITBIN) $(PGBIN) $(FUZZBIN) $(STATBIN) $(O)/tests/injection/make-recording \
		$(O)/tests/mutants/mutants $(O)/tests/limited $(O)/tests/dwarf/libdw_oracle $(FAULT)
	@scripts/check.sh
## unit tests (cmocka)
check-unit: $(UNITBIN)
	@tests/run-unit.sh $(UNITBIN)
## golden command lines
check-cli: all $(O)/tests/gpu/standin/nvml.so
	@tests/run-cli.sh
## every command that hotdrift suggests is run
check-suggestions: all
	@tests/run-suggestions.sh
## the scripts, in bats
check-script: all
	@tests/run-bats.sh
## replay the fuzz corpora; DIR= adds a folder of hostile inputs
check-fuzz: all $(FUZZBIN) $(O)/tests/limited
	@tests/run-fuzz.sh
## hostile names through every command; DIR= has injection.md
check-injection: all $(O)/tests/injection/make-recording
	@tests/run-injection.sh
## allocations and system calls that fail, in every command; FULL=1 for all places
check-fault: all $(FAULT)
	@tests/run-fault.sh
## damaged recordings and programs made here; N=150 SEED=1
check-mutants: all $(O)/tests/mutants/mutants $(O)/tests/limited
	@tests/run-mutants.sh
## recordings with reference answers; DIR=../shared/corpus
check-corpus: all
	@tests/run-corpus.sh
## formulas against tables of known answers; DIR=../shared/stats
check-stats: $(STATBIN)
	@tests/run-stats.sh
## lines and inlined functions, compared with libdw; N=300
check-dwarf: all $(O)/tests/dwarf/libdw_oracle
	@tests/run-dwarf.sh
## record here, compare with perf report and perf script
check-perf: all
	@tests/run-perf.sh
## every kind of recording that perf makes here, compared with perf
check-records: all
	@tests/run-records.sh
## record programs whose stacks are known, compare every stack
check-truth: all
	@tests/run-truth.sh
## run every command of the tutorials, follow the HOWTO
check-docs: all
	@tests/run-docs.sh
## a repository made here, recorded, and what the gate says of each commit
check-story: all
	@tests/run-story.sh
## reports for CI services against their schemas, and the workflows of docs/ci/
check-ci: all
	@tests/run-ci.sh
## push profiles to servers on the loopback
check-remote: all
	@tests/run-remote.sh
## record the allocations of programs that know them, compare every site
check-heap: all
	@tests/run-heap.sh
## libhotdrift-cuda.so with a stand-in for libcupti, and on a GPU if there is one
check-cuda: all
	@tests/run-cuda.sh
## read the files that `convert` writes with the programs that they are for; DIR=../shared/corpus: pprof and back
check-convert: all
	@tests/run-convert.sh
## GPU captures whose numbers are known; DIR=../shared/gpu
check-gpu: all
	@tests/run-gpu.sh
## compare `fold` and `flame` with FlameGraph and inferno; DIR=../shared/corpus/folded
check-folded: all
	@tests/run-folded.sh
## profiles of Go, callgrind and perf script, compared with pprof, callgrind_annotate and perf
check-peers: all
	@tests/run-peers.sh
## record threads that know how long they waited and for what
check-waits: all
	@tests/run-waits.sh
## install and uninstall into a folder, man pages, completion, the source archive
check-package: all
	@tests/run-package.sh
## Debian packages built, installed, tried and removed in minimal roots of a release; RELEASE=bookworm
check-install:
	@tests/run-install.sh $(or $(RELEASE),bookworm)
## unwind stack copies of riscv64, s390x and ppc64, made by programs under qemu-user
check-foreign: all
	@tests/run-foreign.sh
## what recording switches and system calls costs, at several rates
bench-waits: all
	@tests/bench/waits.sh
## what each mode of profile.sh writes in thirty seconds
bench-sizes: all
	@tests/bench/sizes.sh
## drive the flamegraph and the page of `html` in headless Chromium
check-browser: all
	@tests/run-browser.sh
## histories on a private PostgreSQL server
check-pg: all $(PGBIN)
	@tests/run-pg.sh $(PGUNIT)
## writers killed, power lost, 200 adds at once; FULL=1 for many more rounds
check-durability: all $(O)/tests/unit/db/crash $(O)/tests/unit/db/power
	@tests/run-durability.sh
## make demo and make check in a minimal root of another release; RELEASE=trixie
check-distro:
	@tests/run-distro.sh $(or $(RELEASE),trixie)
## no include points up (scripts/layers)
check-layers:
	@scripts/check-layers
## every header compiles alone
check-headers: all
	@scripts/check-headers $(CC) $(CPPFLAGS) -std=gnu11 $(WARN)
## type, function and file names; include cycles; lines of more than 120 columns; KINDS=line,file: only these
check-names:
	@$(call python,names,scripts/check-names $(if $(KINDS),--only=$(KINDS)))
## functions that no code calls
check-unused: all
	@$(call python,unused,scripts/check-unused $(O))
## shellcheck over every script
check-shell:
	@tests/run-shellcheck.sh
## speed, memory, accuracy against perf and others; SIZES="s m l" QUICK=1
bench: all
	@tests/bench/run.sh
## a database of 10,000 runs x 2,000 symbols: CPU and bytes; RUNS= SYMBOLS= SEED= TRIES=
bench-store: all $(O)/tests/bench/history
	@tests/bench/store.sh
## commands on a history of many machines on PostgreSQL, over a link with a delay; RUNS="100 1000" DELAY=20
bench-fleet: all $(O)/tests/bench/history
	@tests/bench/fleet.sh
## recordings larger than memory: sums and peak memory of `fold`; GB=10
bench-large: all
	@tests/bench/large.sh
## what recording allocations costs, beside heaptrack; PAIRS=7
bench-memory: all
	@tests/bench/memory.sh
## what measuring by libhotdrift costs, as ratios to clock_gettime()
bench-track: $(O)/tests/bench/track
	@$<
$(O)/tests/bench/track: tests/bench/track.c $(O)/libhotdrift.a
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -std=gnu11 -O2 $(WARN) -Iinclude -pthread -o $@ $^ -lm
## exports of Nsight Systems: launches/s of CPU, memory at two sizes; LAUNCHES="200000 6000000"
bench-gpu: all
	@tests/bench/gpu/run.sh
## how often completed stacks are wrong, by the size of the copies
bench-stitching: all
	@tests/truth/stitching.sh
## how often verdicts are right, beside naive rules; DIR=../shared/stats QUICK=1 SEED=1
bench-drift: all $(O)/tests/bench/drift/drift
	@cd fixtures/recordings/memgraph-cpu && $(abspath $(O))/hotdrift fold --symfs symfs perf.data \
		> $(abspath $(O))/tests/bench/drift/stacks.folded
	@$(O)/tests/bench/drift/drift $(if $(QUICK),-q) $(if $(SEED),-r $(SEED)) \
		-s $(O)/tests/bench/drift/stacks.folded -d $(or $(DIR),../shared/stats)
## a page of 10,000 runs: its size, and how it moves in headless Chromium
bench-html: all
	@tests/run-browser.sh tests/html/speed.sh
## libFuzzer (clang) over every target for SECONDS= (60) each
fuzz:
	@tests/fuzz/fuzz.sh
## lines of each parser that its fuzz target reaches; FOUND=folder of what libFuzzer added
fuzz-coverage:
	@tests/fuzz/coverage.sh

# ---- first contact, installing, cleaning

## set up, profile a real workload, show the top 5
demo:
	@scripts/setup.sh
	@$(MAKE) --no-print-directory $(JOBS) all
	@scripts/demo.sh
## install what the build needs (root or sudo)
setup:
	@scripts/setup.sh
## the profiling builds of fixtures/workloads/
workloads: $(O)/libhotdrift.a
	@$(MAKE) --no-print-directory -C fixtures/workloads/memgraph O=$(abspath $(O))/workloads/memgraph \
		HOTDRIFT=$(abspath $(O)) profile tracked
	@$(MAKE) --no-print-directory -C fixtures/workloads/attention O=$(abspath $(O))/workloads/attention

$(O)/man/.stamp: $(O)/hotdrift
	$(call say,MAN,$(@D))mkdir -p $(@D) && $(O)/hotdrift help --man-dir $(@D) && touch $@

# Folders below PREFIX.  A distribution may have another folder for libraries (lib/x86_64-linux-gnu).
LIBDIR  ?= lib
DOCDIR  ?= share/doc/hotdrift
COMPLETION := share/bash-completion/completions/hotdrift share/zsh/vendor-completions/_hotdrift \
	share/fish/vendor_completions.d/hotdrift.fish

## libhotdrift, its header and hotdrift.pc only
install-library: $(TRACKLIB)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,include $(LIBDIR)/pkgconfig)
	install -m 644 include/hotdrift.h $(DESTDIR)$(PREFIX)/include/hotdrift.h
	install -m 644 $(O)/libhotdrift.a $(DESTDIR)$(PREFIX)/$(LIBDIR)/libhotdrift.a
	install -m 755 $(O)/libhotdrift.so $(DESTDIR)$(PREFIX)/$(LIBDIR)/libhotdrift.so.$(TRACKABI)
	ln -sf libhotdrift.so.$(TRACKABI) $(DESTDIR)$(PREFIX)/$(LIBDIR)/libhotdrift.so
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@LIBDIR@,$(LIBDIR),' -e 's,@VERSION@,$(VERSION),' \
		src/track/hotdrift.pc.in > $(DESTDIR)$(PREFIX)/$(LIBDIR)/pkgconfig/hotdrift.pc

## PREFIX=/usr/local DESTDIR= LIBDIR=lib
install: all $(O)/man/.stamp install-library
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin libexec/hotdrift/lib share/man/man1 share/man/man5 $(DOCDIR) \
		$(dir $(COMPLETION)))
	install -m 755 $(O)/hotdrift $(DESTDIR)$(PREFIX)/bin/hotdrift
	$(if $(HEAPLIB),install -D -m 755 $(HEAPLIB) $(DESTDIR)$(PREFIX)/lib/hotdrift/libhotdrift-heap.so)
	$(if $(CUDALIB),install -D -m 755 $(CUDALIB) $(DESTDIR)$(PREFIX)/lib/hotdrift/libhotdrift-cuda.so)
	install -m 755 $(addprefix scripts/,profile.sh run_bench.sh gate_commits.sh flamegraph.sh profile_hotspots.sh \
		memory_profile.sh gpu_profile.sh) $(DESTDIR)$(PREFIX)/libexec/hotdrift/
	install -m 644 scripts/lib/*.sh $(DESTDIR)$(PREFIX)/libexec/hotdrift/lib/
	install -m 644 $(O)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(O)/man/*.5 $(DESTDIR)$(PREFIX)/share/man/man5/
	set -e; $(foreach c,$(COMPLETION),$(O)/hotdrift help --completion \
		$(if $(findstring zsh,$c),zsh,$(if $(findstring fish,$c),fish,bash)) > $(DESTDIR)$(PREFIX)/$c;)
	install -m 644 README.md docs/*.md $(DESTDIR)$(PREFIX)/$(DOCDIR)/
	cp -R docs/ci docs/grafana $(DESTDIR)$(PREFIX)/$(DOCDIR)/

## remove what install installed, with the same variables
uninstall:
	@rm -rf $(O)/uninstall
	@$(MAKE) --no-print-directory -s install DESTDIR=$(abspath $(O))/uninstall
	@cd $(O)/uninstall && find . ! -type d | while IFS= read -r f; do rm -f -- "$(DESTDIR)/$$f"; done && \
		find . -depth -type d -path '*hotdrift*' | while IFS= read -r d; do \
		rmdir -- "$(DESTDIR)/$$d" 2>/dev/null || :; done
	@rm -rf $(O)/uninstall

DIST := $(O)/hotdrift-$(VERSION).tar.gz
## a source archive of the last commit; the same commit gives the same bytes
dist: $(DIST)
$(DIST): FORCE
	$(call say,DIST,$@)mkdir -p $(@D) && git archive --format=tar --prefix=hotdrift-$(VERSION)/ HEAD | gzip -9n > $@
## Debian packages of the last commit in O/deb, checked by lintian
deb: dist
	rm -rf $(O)/deb && mkdir -p $(O)/deb && tar -xzf $(DIST) -C $(O)/deb
	cd $(O)/deb/hotdrift-$(VERSION) && cp -R packaging/debian debian && \
		env -u O -u CC -u DEV -u SAN -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -b
	lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs $(O)/deb/*.changes

## remove O
clean:
	rm -rf $(O)
## this list
help:
	@awk '/^## / { text = substr($$0, 4); next } \
		/^[a-z][a-z-]*:/ && text { split($$1, name, ":"); printf "  %-17s %s\n", name[1], text } \
		{ text = "" }' Makefile
	@echo '  variables: O=dir  DEV=1  SAN=address,undefined  V=1  CC=clang  DIR=folder  UPDATE=1  PREFIX=  DESTDIR='

.PHONY: FORCE $(shell sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile)

-include $(SRC:%.c=$(O)/%.d) $(HEAPOBJ:.o=.d) $(CUDAOBJ:.o=.d) $(TRACKOBJ:.o=.d) \
	$(UNITBIN:%=%.d) $(FUZZBIN:%=%.d) $(STATBIN:%=%.d) $(O)/tests/fuzz/replay.d
