# SPDX-License-Identifier: MIT
# homenode.  For people: make, make demo, make check, make bench, make install
# (PREFIX, DESTDIR).  DEBUG=1 and SAN=address,undefined change how things are
# built, each variant in its own folder under build/.

PREFIX ?= /usr/local
DESTDIR ?=
CC = gcc
DEBUG ?= 0
SAN ?=
VERSION := 0.1.0

# V=1 shows the commands.
V ?= 0
q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf "  %-4s %s\n" $(1) $(2))

variant := $(if $(filter 1,$(DEBUG)),debug,release)$(if $(SAN),-san)
B := build/$(variant)$(if $(filter clang%,$(CC)),-$(CC))

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wno-unused-parameter
CFLAGS ?= $(if $(filter 1,$(DEBUG)),-O1 -g3,-O2 -g)
san_flags := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
all_cflags = -std=c11 -D_GNU_SOURCE -DHOMENODE_VERSION='"$(VERSION)"' \
	$(if $(filter 1,$(DEBUG)),-DHOMENODE_DEBUG) $(warnings) -I. -I$(B) \
	-pthread -ffp-contract=off $(san_flags) $(CFLAGS)
all_ldflags = -pthread -rdynamic $(san_flags) $(LDFLAGS)

# One door per outside library: only the folder named needs its headers.
schema_pkgs := sqlite3
collect_pkgs := libtracefs libtraceevent hwloc libzstd zlib
ui_pkgs := ncursesw cairo pangocairo
pkg = $(shell pkg-config --$(1) $(2))

objs = $(patsubst %.c,$(B)/%.o,$(1))
schema_objs := $(call objs,$(wildcard schema/*.c))
core_objs := $(call objs,$(wildcard model/*.c replay/*.c)) $(schema_objs)
collect_objs := $(call objs,$(wildcard collect/*.c))
main_obj := $(B)/ui/main.o
ui_objs := $(filter-out $(main_obj),$(call objs,$(wildcard ui/*.c)))

core_lib := $(B)/libcore.a
collect_lib := $(B)/libcollect.a
ui_lib := $(B)/libui.a
core_libs = $(core_lib) $(call pkg,libs,$(schema_pkgs)) -ldl -lm
all_libs = $(ui_lib) $(collect_lib) $(core_lib) \
	$(call pkg,libs,$(ui_pkgs) $(collect_pkgs) $(schema_pkgs)) -ldl -lm

# tests/test_*.c need the core only; tests/collect, tests/ui all of it.
tests = $(patsubst %.c,$(B)/%,$(wildcard $(1)))
support_objs := $(call objs,$(wildcard tests/support/*.c))
core_tests := $(call tests,tests/test_*.c)
full_tests := $(call tests,tests/collect/test_*.c tests/ui/test_*.c)
test_objs := $(addsuffix .o,$(core_tests) $(full_tests))
scripts := $(wildcard tests/*.sh tests/*/test_*.sh)

.PHONY: all homenode core fuzz fidelity reproduce demo docs check check-core check-valgrind check-san bench guest \
	guest-check \
	install install-headers clean

all: homenode
homenode: $(B)/homenode
	@ln -sf $< $@
core: $(core_lib)

# Packages that a command needs are installed by it, once per set.
build/packages/%: scripts/packages
	@mkdir -p $(@D)
	@scripts/packages $*
	@touch $@
$(core_objs): | build/packages/core
$(collect_objs) $(ui_objs) $(main_obj): | build/packages/build
$(test_objs) $(support_objs): | build/packages/core_check

$(B)/homenode: $(main_obj) $(ui_lib) $(collect_lib) $(core_lib)
	$(call say,LINK,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $< $(all_libs)

$(core_lib): $(core_objs)
$(collect_lib): $(collect_objs)
$(ui_lib): $(ui_objs)
$(core_lib) $(collect_lib) $(ui_lib):
	@rm -f $@
	$(call say,AR,$@)
	$(q)$(AR) rcs $@ $^

$(schema_objs): pkg_cflags = $(call pkg,cflags,$(schema_pkgs))
$(collect_objs): pkg_cflags = $(call pkg,cflags,$(collect_pkgs))
$(ui_objs): pkg_cflags = $(call pkg,cflags,$(ui_pkgs))
# Vectors of literals are what tests call main functions with.
$(test_objs) $(support_objs): pkg_cflags = -Wno-write-strings
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(q)$(CC) $(all_cflags) $(pkg_cflags) -MMD -MP -c -o $@ $<

# The schema's text is compiled in.
$(B)/gen/%_sql.h: schema/%.sql
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(schema_objs): $(B)/gen/recorded_sql.h $(B)/gen/derived_sql.h

# So is the plug-in to start from.
$(B)/gen/%_c.h: ui/template/%.c
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(B)/ui/cmd_policies.o: $(B)/gen/mine_c.h

$(core_tests): $(B)/%: $(B)/%.o $(support_objs) $(core_lib)
	$(call say,LINK,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $< $(support_objs) $(core_libs) -lcmocka
$(full_tests): $(B)/%: $(B)/%.o $(support_objs) $(ui_lib) $(collect_lib) $(core_lib)
	$(call say,LINK,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $< $(support_objs) $(all_libs) -lcmocka

# Plug-ins that tests load.
test_plugins := $(patsubst %.c,$(B)/%.so,$(wildcard tests/plugin/*.c))
$(B)/tests/plugin/%.so: tests/plugin/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(q)$(CC) $(all_cflags) -fPIC -shared -MMD -MP -MF $(@:.so=.d) -o $@ $<
$(B)/tests/test_plugin: $(test_plugins)

# Without tracefs, ncurses, cairo and hwloc.
check-core: $(core_tests)
	tests/run $(core_tests)

check: build/packages/check homenode $(core_tests) $(full_tests)
	HOMENODE=$(CURDIR)/$(B)/homenode tests/run \
		$(core_tests) $(full_tests) $(scripts)

check-valgrind: build/packages/check build/packages/valgrind homenode \
		$(core_tests) $(full_tests)
	HOMENODE=$(CURDIR)/$(B)/homenode \
	HOMENODE_WRAP="valgrind -q --error-exitcode=9 --leak-check=full \
		--errors-for-leak-kinds=definite --suppressions=tests/valgrind.supp" \
		tests/run $(core_tests) $(full_tests)

check-san:
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 $(MAKE) check DEBUG=1 SAN=address,undefined

# An emulated host of four nodes: a recording made on it, and the tests there.
guest: build/packages/guest homenode
	HOMENODE=$(CURDIR)/$(B)/homenode scripts/guest

# Then what recording costs there, GUEST_ROUNDS times; 0: not.  It fails on no
# figure; 77: no guest can be booted here.
GUEST_TESTS ?= smoke record.sh live.sh nodes.sh kernels.sh
GUEST_ROUNDS ?= 3
guest-check: build/packages/guest homenode
	HOMENODE=$(CURDIR)/$(B)/homenode TEST_SECONDS=1800 tests/run \
		$(addprefix tests/guest/,$(GUEST_TESTS))
	[ $(GUEST_ROUNDS) = 0 ] || ROUNDS=$(GUEST_ROUNDS) \
		HOMENODE=$(CURDIR)/$(B)/homenode tests/guest/overhead || \
		[ $$? = 77 ]

demo: build/packages/demo homenode
	scripts/demo $(B)/homenode

# The pictures that README shows.
docs: build/packages/demo homenode
	scripts/docs $(B)/homenode

$(B)/tests/bench/policies: $(B)/tests/bench/policies.o $(core_lib)
	$(call say,LINK,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $< $(core_libs)

bench: build/packages/bench homenode $(B)/tests/bench/policies
	HOMENODE=$(CURDIR)/$(B)/homenode \
	BENCH_POLICIES=$(CURDIR)/$(B)/tests/bench/policies tests/bench/run

# Bounded: SECONDS for each parser, or RUNS inputs that are the same each time.
fuzz: build/packages/clang homenode
	$(MAKE) CC=clang SAN=fuzzer-no-link,address,undefined \
		build/release-san-clang/libcore.a build/release-san-clang/libcollect.a
	tests/fuzz/run build/release-san-clang $(or $(SECONDS),120)

# How well replays predict: needs the recordings in ../shared/traces/vm.
fidelity: homenode
	scripts/fidelity $(CURDIR)/$(B)/homenode \
		$(or $(TRACES),../shared/traces/vm)

# Published tables beside simulated ones.
reproduce: homenode
	$(B)/homenode reproduce

# What a policy plug-in may include: replay/policy.h and what that includes.
plugin_headers := replay/policy.h replay/knob.h replay/view.h model/err.h \
	model/run.h model/task.h model/cpumask.h model/topo.h

install-headers:
	install -d $(DESTDIR)$(PREFIX)/share/pkgconfig
	for h in $(plugin_headers); do \
		install -D -m 644 $$h \
			$(DESTDIR)$(PREFIX)/include/homenode/$$h || exit 1; \
	done
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
		scripts/homenode.pc.in > \
		$(DESTDIR)$(PREFIX)/share/pkgconfig/homenode.pc

install: homenode install-headers
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(B)/homenode $(DESTDIR)$(PREFIX)/bin/homenode
	$(B)/homenode help --man > $(B)/homenode.1
	install -m 644 $(B)/homenode.1 $(DESTDIR)$(PREFIX)/share/man/man1

clean:
	rm -rf build homenode

-include $(shell find $(B) -name '*.d' 2>/dev/null)
