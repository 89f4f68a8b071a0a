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
# make check and make demo use all cores, unless -j was given.
JOBS    = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))

VERSION := 0.1.0
PKGS    := libelf libdw libtraceevent libseccomp libcrypto sqlite3 libzstd inih liblzma libdeflate zlib
# libdebuginfod is optional, and opened at run time when DEBUGINFOD_URLS is set: linking it costs 5 ms a start.
# So is libpq, for --db postgresql://...: only its header is needed here.
OPT_PKGS := $(foreach p,libdebuginfod libpq,$(shell pkg-config --exists $(p) 2>/dev/null && echo $(p)))

CPPFLAGS += -Isrc -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DHD_VERSION='"$(VERSION)"'
CPPFLAGS += $(shell pkg-config --cflags $(PKGS) $(OPT_PKGS) 2>/dev/null)
CPPFLAGS += $(if $(filter libdebuginfod,$(OPT_PKGS)),-DHAVE_DEBUGINFOD) $(if $(filter libpq,$(OPT_PKGS)),-DHAVE_LIBPQ)
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unused-parameter
CFLAGS   ?= $(if $(DEV),-O1,-O2)
# The machine that is compiled for.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
# Stacks that grow past their guard page are noticed; x86-64 marks the targets of indirect jumps.
HARDEN := $(if $(filter x86_64-% aarch64-%,$(MACHINE)),-fstack-clash-protection) $(if $(filter x86_64-%,$(MACHINE)),-fcf-protection)
# The C library checks sizes only in optimised code, and warns otherwise.
FORTIFY := $(if $(SAN),,$(if $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS)))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
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

# What lives in other people's processes is a library of its own.
GUEST := $(sort $(wildcard src/preload/*.c))
CUDASRC := $(sort $(wildcard src/inject/*.c))
SRC   := $(filter-out $(GUEST) $(CUDASRC),$(sort $(wildcard src/*/*.c)))	# a new file needs no edit here
OBJ   := $(SRC:%.c=$(O)/%.o) $(O)/gen/assets.o
LIBOBJ := $(filter-out $(O)/src/cli/main.o,$(OBJ))
ASSET := $(sort $(wildcard schema/*.sql src/render/*.js src/render/*.css src/web/html/*))
# The chart library of `hotdrift html`, as Debian's libjs-dygraphs has it: embedded when it is there.
CHARTS := $(if $(wildcard /usr/share/javascript/dygraphs/dygraph.min.js),$(O)/gen/dygraph.min.js $(O)/gen/dygraph.min.css $(O)/gen/dygraph.copyright)
UNIT  := $(sort $(wildcard tests/unit/*/*.c))
FUZZ  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# Unit tests that must pass on SQLite and on a PostgreSQL server.
PGUNIT := history/run_add history/run_load history/merge history/prune history/run_from_profile history/hotspot_rest \
	history/trend trust/chain trust/tamper trust/anchor gate/expect gate/judge
PGBIN := $(O)/tests/pg/server $(addprefix $(O)/tests/unit/,$(PGUNIT))
UNITBIN := $(UNIT:tests/%.c=$(O)/tests/%)
FUZZBIN := $(FUZZ:tests/fuzz/%.c=$(O)/fuzz/%)
FAULT := $(O)/tests/fault/shim.so $(O)/tests/fault/drive
STATBIN := $(patsubst tests/%.c,$(O)/tests/%,$(sort $(wildcard tests/stats/*.c)))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

# The recorder of allocations is for this machine's processes; it is written for x86-64 and aarch64.
HEAPLIB := $(if $(filter x86_64-% aarch64-%,$(MACHINE)),$(O)/libhotdrift-heap.so)

# The recorder of GPU activities needs neither a GPU nor CUDA to be built.
CUDALIB := $(if $(HEAPLIB),$(O)/libhotdrift-cuda.so)

all: $(O)/hotdrift $(HEAPLIB) $(CUDALIB)				## build the program, and the libraries that record allocations and GPU activities

$(O)/hotdrift: $(O)/src/cli/main.o $(O)/libhd.a
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# It is in every process of a workload: libc only, nothing else exported, no frame of ours between malloc and its caller.
HEAPSRC := $(GUEST) $(sort $(wildcard src/cfi/*.c))
HEAPFLAGS := -std=gnu11 -g -O2 $(WARN) $(if $(DEV),-Werror) -fPIC -fstack-protector-strong $(HARDEN) -fvisibility=hidden -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free -fno-plt -foptimize-sibling-calls
HEAPOBJ := $(HEAPSRC:%.c=$(O)/heap/%.o)
$(O)/heap/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -D_GNU_SOURCE $(HEAPFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift-heap.so: $(HEAPOBJ) src/preload/export.map
	$(call say,LD,$@)$(CC) $(HEAPFLAGS) -shared -Wl,--version-script=src/preload/export.map -Wl,-z,relro,-z,now,-z,defs,--as-needed -o $@ $(HEAPOBJ)

# The CUDA driver loads it into a program: libc only, and two exported functions.  perf finds its callers by frame pointers.
CUDAFLAGS := -std=gnu11 -g -O2 $(WARN) $(if $(DEV),-Werror) -fPIC -fno-omit-frame-pointer -fstack-protector-strong $(HARDEN) -fvisibility=hidden -pthread
CUDAOBJ := $(CUDASRC:%.c=$(O)/cuda/%.o)
$(O)/cuda/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -Isrc -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(CUDAFLAGS) -MMD -MP -c -o $@ $<
$(O)/libhotdrift-cuda.so: $(CUDAOBJ) src/inject/export.map
	$(call say,LD,$@)$(CC) $(CUDAFLAGS) -shared -Wl,--version-script=src/inject/export.map -Wl,-Bsymbolic-functions,-z,relro,-z,now,-z,defs,--as-needed -o $@ $(CUDAOBJ)

# Everything but main(), for the unit tests and the fuzz targets to link.
$(O)/libhd.a: $(LIBOBJ)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Write what comes in to $@, unless it is there already; suites ask at the same time, each with a file of its own ($$$$).
keep = new=$@.$$$$ && cat > $$new && if cmp -s $$new $@; then rm -f $$new; else mv $$new $@; fi
# Objects depend on the flags they were made with, so that one O never mixes flavours.
$(O)/flags: FORCE
	@mkdir -p $(@D) && printf '%s\n' '$(CC) $(subst ','\'',$(CPPFLAGS) $(ALL_CFLAGS) $(HEAPFLAGS) $(CUDAFLAGS))' | { $(keep); }
FORCE:

$(O)/gen/assets.c: $(ASSET) $(CHARTS) $(O)/gen/assets scripts/embed
	$(call say,EMBED,$@)scripts/embed $(ASSET) $(CHARTS) > $@
# Which they are: one that comes or goes is old when it is new here.
$(O)/gen/assets: FORCE
	@mkdir -p $(@D) && echo '$(ASSET) $(CHARTS)' | { $(keep); }
# Without the line that names another file.
$(O)/gen/dygraph.min.%: /usr/share/javascript/dygraphs/dygraph.min.%
	@mkdir -p $(@D) && sed -e 's,^//# sourceMappingURL=.*,,' -e 's,/\*# sourceMappingURL=[^*]*\*/,,' $< > $@
$(O)/gen/dygraph.copyright: /usr/share/doc/libjs-dygraphs/copyright
	@mkdir -p $(@D) && cp $< $@
$(O)/gen/assets.o: $(O)/gen/assets.c
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# ---- tests

$(O)/tests/%: tests/%.c tests/test.h $(O)/libhd.a
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -o $@ $< $(O)/libhd.a $(LIBS) -lcmocka
# Makes inputs, so that it needs nothing of ours.
INJECTION := $(wildcard tests/injection/*.c)
$(O)/tests/injection/make-recording: $(INJECTION) tests/injection/plants.h
	$(call say,CC,tests/injection)mkdir -p $(@D) && $(CC) -std=gnu11 -g -O1 $(WARN) $(if $(DEV),-Werror) -o $@ $(INJECTION)
# Makes damaged inputs, so that it needs nothing of ours.
MUTANTS := $(filter-out tests/mutants/program.c,$(wildcard tests/mutants/*.c))
$(O)/tests/mutants/mutants: $(MUTANTS) tests/mutants/mutants.h
	$(call say,CC,tests/mutants)mkdir -p $(@D) && $(CC) -std=gnu11 -g -O1 $(WARN) $(if $(DEV),-Werror) -o $@ $(MUTANTS) -lzstd
# Several files, and always with -O2: what it prints are rates, of tens of thousands of cases.
DRIFTBENCH := $(wildcard tests/bench/drift/*.c)
$(O)/tests/bench/drift/drift: $(DRIFTBENCH) tests/bench/drift/bench.h tests/stats/answers.h $(O)/libhd.a
	$(call say,CC,tests/bench/drift)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -O2 -o $@ $(DRIFTBENCH) $(O)/libhd.a $(LIBS)
$(O)/tests/limited: tests/limited.c
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -g -O1 $(WARN) $(if $(DEV),-Werror) -o $@ $<
# The shim comes between a program and the C library, so that it is built plainly, also for SAN=.
$(O)/tests/fault/shim.so: tests/fault/shim.c
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -g -O1 $(WARN) $(if $(DEV),-Werror) -fPIC -shared -o $@ $<
$(O)/tests/fault/drive: tests/fault/drive.c
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -g -O1 $(WARN) $(if $(DEV),-Werror) -o $@ $< -lsqlite3
# A stand-in for the NVIDIA driver's library; -old is one without the newer calls.
$(O)/tests/gpu/standin/nvml.so $(O)/tests/gpu/standin/nvml-old.so: tests/gpu/standin/nvml.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 -g -O1 $(WARN) $(if $(DEV),-Werror) $(if $(findstring old,$@),-DOLD) -fPIC -shared -fvisibility=hidden -o $@ $<
$(O)/tests/unit/track/nvml: $(O)/tests/gpu/standin/nvml.so $(O)/tests/gpu/standin/nvml-old.so
# Where CUDA is installed its nvml.h is compared with track/nvml.h.
NVML_H := $(firstword $(wildcard /usr/include/nvml.h /usr/local/cuda*/include/nvml.h /usr/local/cuda*/targets/*/include/nvml.h))
$(O)/tests/unit/track/nvml: private CPPFLAGS += $(if $(NVML_H),-idirafter $(dir $(NVML_H)))
$(O)/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c $(O)/libhd.a
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -o $@ $< tests/fuzz/replay.c $(O)/libhd.a $(LIBS)

export O CC DEV SAN DIR UPDATE N SEED

check: ## set up what is missing, then run every test
	@scripts/setup.sh --tests
	@$(MAKE) --no-print-directory $(JOBS) check-nosetup
check-nosetup: all $(UNITBIN) $(PGBIN) $(FUZZBIN) $(STATBIN) $(O)/tests/injection/make-recording $(O)/tests/mutants/mutants $(O)/tests/limited $(FAULT)
	@scripts/check.sh
check-unit: $(UNITBIN)						## unit tests (cmocka)
	@tests/run-unit.sh $(UNITBIN)
check-cli: all $(O)/tests/gpu/standin/nvml.so							## golden command lines
	@tests/run-cli.sh
check-suggestions: all						## every command that hotdrift suggests is run
	@tests/run-suggestions.sh
check-script: all						## the scripts, in bats
	@tests/run-bats.sh
check-fuzz: all $(FUZZBIN) $(O)/tests/limited				## replay the fuzz corpora; DIR= adds a folder of hostile inputs
	@tests/run-fuzz.sh
check-injection: all $(O)/tests/injection/make-recording	## hostile names through every command; DIR= has injection.md
	@tests/run-injection.sh
check-fault: all $(FAULT)					## allocations and system calls that fail, in every command; FULL=1 for all places
	@tests/run-fault.sh
check-mutants: all $(O)/tests/mutants/mutants $(O)/tests/limited	## damaged recordings and programs made here; N=150 SEED=1
	@tests/run-mutants.sh
check-corpus: all						## recordings with reference answers; DIR=../shared/corpus
	@tests/run-corpus.sh
check-stats: $(STATBIN)						## formulas against tables of known answers; DIR=../shared/stats
	@tests/run-stats.sh
check-perf: all							## record here, compare with perf report and perf script
	@tests/run-perf.sh
check-records: all						## every kind of recording that perf makes here, compared with perf
	@tests/run-records.sh
check-truth: all						## record programs whose stacks are known, compare every stack
	@tests/run-truth.sh
check-docs: all							## run every command of the tutorials, follow the HOWTO
	@tests/run-docs.sh
check-story: all						## a repository made here, recorded, and what the gate says of each commit
	@tests/run-story.sh
check-heap: all							## record the allocations of programs that know them, compare every site
	@tests/run-heap.sh
check-cuda: all							## libhotdrift-cuda.so with a stand-in for libcupti, and on a GPU if there is one
	@tests/run-cuda.sh
check-gpu: all							## GPU captures whose numbers are known; DIR=../shared/gpu
	@tests/run-gpu.sh
check-waits: all						## record threads that know how long they waited and for what
	@tests/run-waits.sh
bench-waits: all						## what recording switches and system calls costs, at several rates
	@tests/bench/waits.sh
bench-sizes: all						## what each mode of profile.sh writes in thirty seconds
	@tests/bench/sizes.sh
check-browser: all						## drive the flamegraph and the page of `html` in headless Chromium
	@tests/run-browser.sh
check-pg: all $(PGBIN)						## histories on a private PostgreSQL server
	@tests/run-pg.sh $(PGUNIT)
check-durability: all $(O)/tests/unit/db/crash $(O)/tests/unit/db/power	## writers killed, power lost, 200 adds at once; FULL=1 for many more rounds
	@tests/run-durability.sh
check-distro:							## make demo and make check in a minimal root of another release; RELEASE=trixie
	@tests/run-distro.sh $(or $(RELEASE),trixie)
check-layers:							## no include points up (scripts/layers)
	@scripts/check-layers
check-headers:							## every header compiles alone
	@scripts/check-headers $(CC) $(CPPFLAGS) -std=gnu11 $(WARN)
check-shell:							## shellcheck over every script
	@tests/run-shellcheck.sh
bench: all							## speed, memory, accuracy against perf and others; SIZES="s m l" QUICK=1
	@tests/bench/run.sh
bench-store: all $(O)/tests/bench/history				## a database of 10,000 runs x 2,000 symbols: CPU and bytes; RUNS= SYMBOLS= SEED= TRIES=
	@tests/bench/store.sh
bench-memory: all						## what recording allocations costs, beside heaptrack; PAIRS=7
	@tests/bench/memory.sh
bench-gpu: all							## exports of Nsight Systems: launches/s of CPU, memory at two sizes; LAUNCHES="200000 6000000"
	@tests/bench/gpu/run.sh
bench-stitching: all						## how often completed stacks are wrong, by the size of the copies
	@tests/truth/stitching.sh
bench-drift: all $(O)/tests/bench/drift/drift			## how often verdicts are right, beside naive rules; DIR=../shared/stats QUICK=1 SEED=1
	@$(O)/hotdrift fold --symfs fixtures/recordings/memgraph-cpu/symfs fixtures/recordings/memgraph-cpu/perf.data > $(O)/tests/bench/drift/stacks.folded
	@$(O)/tests/bench/drift/drift $(if $(QUICK),-q) $(if $(SEED),-r $(SEED)) -s $(O)/tests/bench/drift/stacks.folded -d $(or $(DIR),../shared/stats)
bench-html: all						## a page of 10,000 runs: its size, and how it moves in headless Chromium
	@tests/run-browser.sh tests/html/speed.sh
fuzz: ## libFuzzer (clang) over every target for SECONDS= (60) each
	@tests/fuzz/fuzz.sh
fuzz-coverage: ## lines of each parser that its fuzz target reaches; FOUND=folder of what libFuzzer added
	@tests/fuzz/coverage.sh

# ---- first contact, installing, cleaning

demo:								## set up, profile a real workload, show the top 5
	@scripts/setup.sh
	@$(MAKE) --no-print-directory $(JOBS) all
	@scripts/demo.sh
setup:								## install what the build needs (root or sudo)
	@scripts/setup.sh
workloads:							## the profiling build of fixtures/workloads/
	@$(MAKE) --no-print-directory -C fixtures/workloads/memgraph O=$(abspath $(O))/workloads/memgraph profile

$(O)/man/.stamp: $(O)/hotdrift
	$(call say,MAN,$(@D))mkdir -p $(@D) && $(O)/hotdrift help --man-dir $(@D) && touch $@

install: all $(O)/man/.stamp					## PREFIX=/usr/local DESTDIR=
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/hotdrift/lib $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/doc/hotdrift
	install -m 755 $(O)/hotdrift $(DESTDIR)$(PREFIX)/bin/hotdrift
	$(if $(HEAPLIB),install -D -m 755 $(HEAPLIB) $(DESTDIR)$(PREFIX)/lib/hotdrift/libhotdrift-heap.so)
	$(if $(CUDALIB),install -D -m 755 $(CUDALIB) $(DESTDIR)$(PREFIX)/lib/hotdrift/libhotdrift-cuda.so)
	install -m 755 scripts/profile.sh scripts/flamegraph.sh scripts/profile_hotspots.sh scripts/memory_profile.sh scripts/gpu_profile.sh $(DESTDIR)$(PREFIX)/libexec/hotdrift/
	install -m 644 scripts/lib/*.sh $(DESTDIR)$(PREFIX)/libexec/hotdrift/lib/
	install -m 644 $(O)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 README.md docs/*.md $(DESTDIR)$(PREFIX)/share/doc/hotdrift/

clean:								## remove O
	rm -rf $(O)
help:								## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r t d; do printf '  %-16s %s\n' $$t "$$d"; done
	@echo '  variables: O=dir  DEV=1  SAN=address,undefined  V=1  CC=clang  DIR=folder  UPDATE=1  PREFIX=  DESTDIR='

.PHONY: all check check-nosetup check-unit check-cli check-script check-fuzz check-mutants check-injection check-fault check-corpus check-stats check-perf check-records check-truth check-waits check-heap check-cuda check-gpu check-browser \
	check-story check-docs check-pg check-durability check-distro check-layers check-headers check-shell bench bench-store bench-stitching bench-drift bench-html bench-memory bench-gpu bench-waits bench-sizes fuzz fuzz-coverage demo setup workloads install clean help FORCE

-include $(SRC:%.c=$(O)/%.d) $(HEAPOBJ:.o=.d) $(CUDAOBJ:.o=.d) $(UNITBIN:%=%.d) $(FUZZBIN:%=%.d) $(STATBIN:%=%.d)
