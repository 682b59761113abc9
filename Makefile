# SPDX-License-Identifier: MIT
# homenode: see README.md.  Commands for people: make, make demo, make check,
# make bench, make install.  DEBUG=1 and SAN=address,undefined change how it is
# built (each in its own folder under build/).

PREFIX ?= /usr/local
DESTDIR ?=
CC ?= gcc
VERSION := 0.1.0

DEBUG ?= 0
SAN ?=
variant := $(if $(filter 1,$(DEBUG)),debug,release)$(if $(SAN),-san)
B := build/$(variant)

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wno-unused-parameter
CFLAGS ?= $(if $(filter 1,$(DEBUG)),-O0 -g3,-O2 -g)
all_cflags := -std=c11 -D_GNU_SOURCE -DHOMENODE_VERSION='"$(VERSION)"' \
	$(if $(filter 1,$(DEBUG)),-DHOMENODE_DEBUG) $(warnings) -I. -I$(B) \
	-pthread $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) $(CFLAGS)
ldflags := -pthread $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

# One door per outside library: only the folder named needs its headers.
schema_pkgs := sqlite3
collect_pkgs := libtracefs libtraceevent hwloc libzstd zlib
ui_pkgs := ncursesw cairo pangocairo
pkg = $(shell pkg-config --$(1) $(2) 2>/dev/null)

model_src := $(wildcard model/*.c)
schema_src := $(wildcard schema/*.c)
replay_src := $(wildcard replay/*.c)
collect_src := $(wildcard collect/*.c)
ui_src := $(wildcard ui/*.c)
objs = $(patsubst %.c,$(B)/%.o,$(1))

core_lib := $(B)/libcore.a
collect_lib := $(B)/libcollect.a
ui_lib := $(B)/libui.a
core_libs = $(core_lib) $(call pkg,libs,$(schema_pkgs)) -ldl -lm
all_libs = $(ui_lib) $(collect_lib) $(core_lib) \
	$(call pkg,libs,$(ui_pkgs) $(collect_pkgs) $(schema_pkgs)) -ldl -lm

# tests/test_*.c need the core only; tests/collect and tests/ui their folder.
core_tests := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))
collect_tests := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/collect/test_*.c))
ui_tests := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/ui/test_*.c))
test_support := $(call objs,$(wildcard tests/support/*.c))

.PHONY: all core demo check check-core bench install clean packages
.SECONDARY:

all: homenode
homenode: $(B)/homenode
	@ln -sf $< $@
core: $(core_lib)

$(B)/homenode: $(B)/ui/main.o $(ui_lib) $(collect_lib) $(core_lib)
	$(CC) $(ldflags) -rdynamic -o $@ $< $(all_libs)

$(core_lib): $(call objs,$(model_src) $(schema_src) $(replay_src))
$(collect_lib): $(call objs,$(collect_src))
$(ui_lib): $(call objs,$(filter-out ui/main.c,$(ui_src)))
$(core_lib) $(collect_lib) $(ui_lib):
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/schema/%.o: pkg_cflags = $(call pkg,cflags,$(schema_pkgs))
$(B)/collect/%.o: pkg_cflags = $(call pkg,cflags,$(collect_pkgs))
$(B)/ui/%.o: pkg_cflags = $(call pkg,cflags,$(ui_pkgs))
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(all_cflags) $(pkg_cflags) -MMD -MP -c -o $@ $<

# The schema's text is compiled in.
$(B)/gen/%_sql.h: schema/%.sql
	@mkdir -p $(@D)
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(call objs,$(schema_src)): $(B)/gen/recorded_sql.h $(B)/gen/derived_sql.h

$(core_tests): $(B)/tests/%: $(B)/tests/%.o $(test_support) $(core_lib)
	$(CC) $(ldflags) -o $@ $< $(test_support) $(core_libs) -lcmocka
$(collect_tests) $(ui_tests): $(B)/tests/%: $(B)/tests/%.o $(test_support) \
		$(ui_lib) $(collect_lib) $(core_lib)
	$(CC) $(ldflags) -o $@ $< $(test_support) $(all_libs) -lcmocka

clean:
	rm -rf build homenode

-include $(shell find $(B) -name '*.d' 2>/dev/null)
