# hotdrift - one Makefile, not recursive over src/
#
#   make            build/hotdrift             O=dir      build there instead of build/
#   make demo       first contact              DEV=1      -Werror and -O1
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
PKGS    := libelf libdw libtraceevent libseccomp libcrypto sqlite3 libzstd liblzma libdeflate zlib
# libdebuginfod and libpq are optional.  The program loads them at run time, when DEBUGINFOD_URLS is set or --db names a
# PostgreSQL server; linking libdebuginfod would cost 5 ms per start.  Only their headers are needed here.
OPT_PKGS := $(foreach p,libdebuginfod libpq,$(shell pkg-config --exists $(p) 2>/dev/null && echo $(p)))

CPPFLAGS += -Isrc -Iinclude -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DHD_VERSION='"$(VERSION)"'
CPPFLAGS += $(shell pkg-config --cflags $(PKGS) $(OPT_PKGS) 2>/dev/null)
CPPFLAGS += $(if $(filter libdebuginfod,$(OPT_PKGS)),-DHAVE_DEBUGINFOD) $(if $(filter libpq,$(OPT_PKGS)),-DHAVE_LIBPQ)
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

# Code that runs inside other programs is built as separate libraries.
GUEST := $(sort $(wildcard src/preload/*.c))
CUDASRC := $(sort $(wildcard src/inject/*.c))
SRC   := $(filter-out $(GUEST) $(CUDASRC),$(sort $(wildcard src/*/*.c)))	# a new file needs no edit here
OBJ   := $(SRC:%.c=$(O)/%.o) $(O)/gen/assets.o
LIBOBJ := $(filter-out $(O)/src/cli/main.o,$(OBJ))
ASSET := $(sort $(wildcard schema/*.sql src/render/*.js src/render/*.css src/web/html/*))
# The chart library of `hotdrift html` (Debian: libjs-dygraphs) is embedded if it is installed.
CHARTS := $(if $(wildcard /usr/share/javascript/dygraphs/dygraph.min.js),\
	$(addprefix $(O)/gen/dygraph.,min.js min.css copyright))
UNIT  := $(sort $(wildcard tests/unit/*/*.c))
FUZZ  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# Unit tests that must pass on SQLite and on a PostgreSQL server.
PGUNIT := history/run_add history/run_load history/merge history/prune history/run_from_profile history/hotspot_rest \
	history/trend history/opportunities trust/chain trust/tamper trust/anchor gate/expect gate/judge
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
HEAPSRC := $(GUEST) $(sort $(wildcard src/cfi/*.c))
HEAPFLAGS := -std=gnu11 -g -O2 $(WARN) $(if $(DEV),-Werror) -fPIC -fstack-protector-strong $(HARDEN) \
	-fvisibility=hidden -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free -fno-plt \
	-foptimize-sibling-calls
GUESTLD := -shared -Wl,-z,relro,-z,now,-z,defs,--as-needed
HEAPOBJ := $(HEAPSRC:%.c=$(O)/heap/%.o)
$(O)/heap/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -D_GNU_SOURCE $(HEAPFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift-heap.so: $(HEAPOBJ) src/preload/export.map
	$(call say,LD,$@)$(CC) $(HEAPFLAGS) $(GUESTLD) -Wl,--version-script=src/preload/export.map -o $@ $(HEAPOBJ)

# The CUDA driver loads this library into a program: it needs libc only and exports two functions.  Frame pointers let
# perf find its callers.
CUDAFLAGS := -std=gnu11 -g -O2 -D_FILE_OFFSET_BITS=64 $(WARN) $(if $(DEV),-Werror) -fPIC -fno-omit-frame-pointer \
	-fstack-protector-strong $(HARDEN) -fvisibility=hidden -pthread
CUDAOBJ := $(CUDASRC:%.c=$(O)/cuda/%.o)
$(O)/cuda/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -D_GNU_SOURCE $(CUDAFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift-cuda.so: $(CUDAOBJ) src/inject/export.map
	$(call say,LD,$@)$(CC) $(CUDAFLAGS) $(GUESTLD) -Wl,--version-script=src/inject/export.map,-Bsymbolic-functions \
		-o $@ $(CUDAOBJ)

# libhotdrift needs libc only (with its libm).  It exports the functions of include/hotdrift.h.  The static library is one
# object in which all other names are local, so that they cannot collide with names of the program.  dlclose() does not
# unload the shared one (nodelete), because threads that exit later still call its destructor.
TRACKABI := 1
TRACKSRC := $(sort $(wildcard src/track/*.c src/stats/*.c))
TRACKOBJ := $(TRACKSRC:%.c=$(O)/track/%.o)
TRACKFLAGS := -std=gnu11 -g -O2 -D_FILE_OFFSET_BITS=64 $(WARN) $(if $(DEV),-Werror) -fPIC -fno-omit-frame-pointer \
	-fstack-protector-strong $(HARDEN) -fvisibility=hidden -ffunction-sections -fdata-sections -pthread
OBJCOPY ?= objcopy
$(O)/track/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -Iinclude -D_GNU_SOURCE -DHD_VERSION='"$(VERSION)"' \
		$(TRACKFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift.so: $(TRACKOBJ) src/track/export.map
	$(call say,LD,$@)$(CC) $(TRACKFLAGS) $(GUESTLD) -Wl,--gc-sections,-z,nodelete,-soname,libhotdrift.so.$(TRACKABI) \
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
$(O)/flags: FORCE
	@mkdir -p $(@D) && \
		printf '%s\n' '$(subst ','\'',$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(HEAPFLAGS) $(CUDAFLAGS) $(TRACKFLAGS))' | \
		{ $(keep); }
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
$(O)/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c $(O)/libhd.a
	$(call say,CC,$<)mkdir -p $(@D) && $(LINKED) -MMD -MP -o $@ $< tests/fuzz/replay.c $(O)/libhd.a $(LIBS)

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
## record the allocations of programs that know them, compare every site
check-heap: all
	@tests/run-heap.sh
## libhotdrift-cuda.so with a stand-in for libcupti, and on a GPU if there is one
check-cuda: all
	@tests/run-cuda.sh
## GPU captures whose numbers are known; DIR=../shared/gpu
check-gpu: all
	@tests/run-gpu.sh
## record threads that know how long they waited and for what
check-waits: all
	@tests/run-waits.sh
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
check-headers:
	@scripts/check-headers $(CC) $(CPPFLAGS) -std=gnu11 $(WARN)
## type, function and file names; include cycles; KINDS=line finds long lines
check-names:
	@$(call python,names,scripts/check-names --only=$(or $(KINDS),type$(comma)function$(comma)cycle$(comma)file))
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

## libhotdrift, its header and hotdrift.pc only
install-library: $(TRACKLIB)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,include lib/pkgconfig)
	install -m 644 include/hotdrift.h $(DESTDIR)$(PREFIX)/include/hotdrift.h
	install -m 644 $(O)/libhotdrift.a $(DESTDIR)$(PREFIX)/lib/libhotdrift.a
	install -m 755 $(O)/libhotdrift.so $(DESTDIR)$(PREFIX)/lib/libhotdrift.so.$(TRACKABI)
	ln -sf libhotdrift.so.$(TRACKABI) $(DESTDIR)$(PREFIX)/lib/libhotdrift.so
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(VERSION),' src/track/hotdrift.pc.in \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/hotdrift.pc

## PREFIX=/usr/local DESTDIR=
install: all $(O)/man/.stamp install-library
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin libexec/hotdrift/lib share/man/man1 share/doc/hotdrift)
	install -m 755 $(O)/hotdrift $(DESTDIR)$(PREFIX)/bin/hotdrift
	$(if $(HEAPLIB),install -D -m 755 $(HEAPLIB) $(DESTDIR)$(PREFIX)/lib/hotdrift/libhotdrift-heap.so)
	$(if $(CUDALIB),install -D -m 755 $(CUDALIB) $(DESTDIR)$(PREFIX)/lib/hotdrift/libhotdrift-cuda.so)
	install -m 755 $(addprefix scripts/,profile.sh run_bench.sh flamegraph.sh profile_hotspots.sh \
		memory_profile.sh gpu_profile.sh) $(DESTDIR)$(PREFIX)/libexec/hotdrift/
	install -m 644 scripts/lib/*.sh $(DESTDIR)$(PREFIX)/libexec/hotdrift/lib/
	install -m 644 $(O)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 README.md docs/*.md $(DESTDIR)$(PREFIX)/share/doc/hotdrift/

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
	$(UNITBIN:%=%.d) $(FUZZBIN:%=%.d) $(STATBIN:%=%.d)
