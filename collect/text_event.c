/* SPDX-License-Identifier: MIT */
#include "collect/text_event.h"

#include "model/cpumask.h"
#include "model/event.h"

#include <limits.h>
#include <string.h>

#define COMM_MAX 15		/* the kernel's, without the zero */
#define HEAD_MAX 96		/* where in a line a CPU can stand at most */
#define SECONDS_MAX 9000000000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char **at, const char *end, int64_t *value)
{
	const char *p = *at + 2;
	uint64_t v = 0;
	int digits = 0;

	for (; p < end && hex_digit(*p) >= 0; p++) {
		if (v >> 60)
			return false;
		v = v << 4 | (uint64_t)hex_digit(*p);
		digits++;
	}
	*value = (int64_t)v;
	*at = p;
	return digits > 0;
}

bool text_int(const char **at, const char *end, int64_t *value)
{
	const char *p = *at;
	bool minus = p < end && *p == '-';
	int64_t v = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		return read_hex(at, end, value);
	p += minus;
	if (p == end || !is_digit(*p))
		return false;
	for (; p < end && is_digit(*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *p - '0', &v))
			return false;
	*value = minus ? -v : v;
	*at = p;
	return true;
}

/* "12.345678:", "1234567890:", "12us+:"; *at goes behind the colon. */
static bool read_time(const char **at, const char *end, struct text_event *e)
{
	static const int64_t scale[] = {
		1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000,
		100, 10, 1,
	};
	const char *p = *at;
	int64_t whole, part = 0;
	int digits = 0;

	if (p == end || !is_digit(*p) || !text_int(&p, end, &whole))
		return false;
	e->is_integer = true;
	e->ts = whole;
	if (p < end && *p == '.') {
		const char *from = ++p;

		if (p == end || !is_digit(*p) || !text_int(&p, end, &part))
			return false;
		digits = (int)(p - from);
		if (digits > 9 || whole > SECONDS_MAX)
			return false;
		e->is_integer = false;
		e->ts = whole * 1000000000 + part * scale[digits];
	} else if (end - p > 2 && p[0] == 'u' && p[1] == 's') {
		p += 2;
		if (whole > SECONDS_MAX * 1000000)
			return false;
		e->is_integer = false;
		e->ts = whole * 1000;
		if (p < end && strchr(" !+#*@$", *p) && *p)
			p++;
	}
	if (p < end && *p == ' ')
		p++;
	if (p == end || *p != ':')
		return false;
	*at = p + 1;
	return true;
}

/* Columns of older and newer kernels, with lazy preemption or without, differ
 * in number; the letters of interrupts are the same and stand for nothing else. */
static uint8_t read_flags(const char *p, const char *end)
{
	uint8_t flags = 0;

	if (end - p > 1 && strchr("NnBb", p[1]) && p[1])
		flags |= EVENT_F_NEED_RESCHED;
	for (const char *c = p + 1; c < end; c++)
		switch (*c) {
		case 'Z':
			return flags | EVENT_F_NMI | EVENT_F_HARDIRQ;
		case 'z':
			return flags | EVENT_F_NMI;
		case 'H':
			return flags | EVENT_F_HARDIRQ | EVENT_F_SOFTIRQ;
		case 'h':
			return flags | EVENT_F_HARDIRQ;
		case 's':
			return flags | EVENT_F_SOFTIRQ;
		}
	return flags;
}

static bool are_flags(const char *p, const char *end)
{
	bool only_digits = true;

	if (end - p > 12 || end - p < 2)
		return false;
	for (; p < end; p++) {
		if (!is_digit(*p))
			only_digits = false;
		if (!is_digit(*p) && *p != '.' && *p != '#' &&
		    !((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z'))
			return false;
	}
	return !only_digits;
}

/* "[PERIOD] [SYSTEM:]NAME[:| |(]..." */
static bool read_name(const char *p, const char *end, struct text_event *e)
{
	const char *from, *colon = NULL;

	p = skip_blanks(p, end);
	from = p;
	while (p < end && is_digit(*p))
		p++;
	if (p > from && p < end && is_blank(*p))
		from = skip_blanks(p, end);
	p = from;
	while (p < end && !is_blank(*p) && *p != '(')
		p++;
	if (p == from)
		return false;
	e->name = from;
	e->name_len = (int)(p - from);
	e->rest = skip_blanks(p, end);
	e->rest_len = (int)(end - e->rest);
	if (e->name[e->name_len - 1] == ':')
		e->name_len--;
	if (e->name_len)
		colon = memrchr(e->name, ':', (size_t)e->name_len);
	if (colon) {
		e->name_len -= (int)(colon + 1 - e->name);
		e->name = colon + 1;
	}
	return e->name_len > 0;
}

/* What follows the CPU: flags, time, event. */
static bool read_tail(const char *p, const char *end, struct text_event *e)
{
	const char *from = p = skip_blanks(p, end);

	e->flags = 0;
	if (!read_time(&p, end, e)) {
		p = from;
		while (p < end && !is_blank(*p))
			p++;
		if (!are_flags(from, p))
			return false;
		e->flags = read_flags(from, p);
		p = skip_blanks(p, end);
		if (!read_time(&p, end, e))
			return false;
	}
	return read_name(p, end, e);
}

/* The number that ends before p; p goes to its first digit. */
static bool number_before(const char **at, const char *line, int *value)
{
	const char *p = *at, *from;
	int64_t v;

	while (p > line && is_digit(p[-1]))
		p--;
	from = p;
	if (p == *at || !text_int(&from, *at, &v) || v > INT_MAX)
		return false;
	*value = (int)v;
	*at = p;
	return true;
}

static const char *blanks_before(const char *p, const char *line)
{
	while (p > line && is_blank(p[-1]))
		p--;
	return p;
}

/* "(  882)" or "(-----)" before p. */
static const char *tgid_before(const char *p, const char *line,
			       struct text_event *e)
{
	const char *q = p - 1, *at;
	int64_t v;

	e->tgid = -1;
	if (p == line || p[-1] != ')')
		return p;
	while (q > line && *q != '(')
		q--;
	if (*q != '(' || p - q > 16)
		return p;
	at = skip_blanks(q + 1, p);
	if (text_int(&at, p, &v) && *at == ')' && v >= 0 && v <= INT_MAX)
		e->tgid = (int)v;
	return blanks_before(q, line);
}

static bool take_comm(struct text_event *e, const char *from, const char *to,
		      bool trim_end)
{
	from = skip_blanks(from, to);
	if (trim_end)
		to = blanks_before(to, from);
	e->comm = from;
	e->comm_len = (int)(to - from);
	return true;
}

/* "COMM-PID" or "COMM PID[/TID]" before p. */
static bool read_task(const char *line, const char *p, struct text_event *e)
{
	if (!number_before(&p, line, &e->tid) || p == line)
		return false;
	if (p[-1] == '/') {
		p--;
		if (!number_before(&p, line, &e->tgid) || p == line)
			return false;
	}
	if (p[-1] != '-' && !is_blank(p[-1]))
		return false;
	return take_comm(e, line, p - 1, p[-1] != '-');
}

/* p is at '['. */
static bool read_bracket(const char *line, const char *end, const char *p,
			 struct text_event *e)
{
	const char *before, *at = p + 1;
	int64_t cpu;

	if (at == end || !is_digit(*at) || !text_int(&at, end, &cpu) ||
	    at == end || *at != ']' || cpu >= CPUMASK_MAX)
		return false;
	e->cpu = (int)cpu;
	if (!read_tail(at + 1, end, e))
		return false;
	before = tgid_before(blanks_before(p, line), line, e);
	return read_task(line, before, e);
}

/* p is at the '-' of "COMM-PID   CPUFLAGS". */
static bool read_latency(const char *line, const char *end, const char *p,
			 struct text_event *e)
{
	const char *at = p + 1, *flags;
	int64_t tid, cpu;

	if (at == end || !is_digit(*at) || !text_int(&at, end, &tid) ||
	    tid > INT_MAX || at == end || !is_blank(*at))
		return false;
	at = skip_blanks(at, end);
	if (at == end || !is_digit(*at) || !text_int(&at, end, &cpu) ||
	    cpu >= CPUMASK_MAX)
		return false;
	flags = at;
	while (at < end && !is_blank(*at))
		at++;
	if (!are_flags(flags, at) || !read_tail(at, end, e))
		return false;
	e->flags = read_flags(flags, at);
	e->tid = (int)tid;
	e->tgid = -1;
	e->cpu = (int)cpu;
	return take_comm(e, line, p, false);
}

/* The start of the word that ends before p, and the blanks after it. */
static const char *word_before(const char *p, const char *line)
{
	p = blanks_before(p, line);
	while (p > line && !is_blank(p[-1]))
		p--;
	return p;
}

/* "9125487.186ms (+0.010ms):"; *at goes behind the colon. */
static bool read_milliseconds(const char **at, const char *end, int64_t *ns)
{
	const char *p = *at, *close;
	int64_t ms, us;

	if (p == end || !is_digit(*p) || !text_int(&p, end, &ms) ||
	    ms > SECONDS_MAX * 1000 || end - p < 8 || *p++ != '.' ||
	    !is_digit(*p) || !text_int(&p, end, &us) || us > 999 ||
	    end - p < 5 || memcmp(p, "ms (", 4) != 0)
		return false;
	close = memchr(p, ')', (size_t)(end - p));
	if (!close || close + 1 == end || close[1] != ':')
		return false;
	*ns = ms * 1000000 + us * 1000;
	*at = close + 2;
	return true;
}

/* p is at '[' of "COMM PID CPU FLAGS PREEMPT INDEX [STAMP] TIME: ...". */
static bool read_verbose(const char *line, const char *end, const char *p,
			 struct text_event *e)
{
	enum { NEED_RESCHED = 0x04, HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
	const char *at = memchr(p, ']', (size_t)(end - p)), *word;
	int64_t flags, cpu, tid;

	if (!at)
		return false;
	at = skip_blanks(at + 1, end);
	if (!read_milliseconds(&at, end, &e->ts) || !read_name(at, end, e))
		return false;
	word = word_before(word_before(p, line), line);
	word = at = word_before(word, line);
	if (!text_int(&at, end, &flags) || !is_blank(*at))
		return false;
	word = at = word_before(word, line);
	if (!text_int(&at, end, &cpu) || cpu < 0 || cpu >= CPUMASK_MAX)
		return false;
	word = at = word_before(word, line);
	if (!text_int(&at, end, &tid) || tid < 0 || tid > INT_MAX)
		return false;
	e->is_integer = false;
	e->cpu = (int)cpu;
	e->tid = (int)tid;
	e->tgid = -1;
	e->flags = (uint8_t)((flags & HARDIRQ ? EVENT_F_HARDIRQ : 0) |
			     (flags & SOFTIRQ ? EVENT_F_SOFTIRQ : 0) |
			     (flags & NMI ? EVENT_F_NMI : 0) |
			     (flags & NEED_RESCHED ? EVENT_F_NEED_RESCHED : 0));
	return take_comm(e, line, word, true);
}

bool text_event_parse(struct text_event *e, const char *line, size_t len)
{
	const char *end = line + len, *from = skip_blanks(line, end);
	const char *stop = end - from > HEAD_MAX ? from + HEAD_MAX : end;
	const char *mark = "[-";
	struct text_event try;
	bool found = false;

	for (; *mark && !found; mark++)
		for (const char *p = from; p < stop; p++) {
			p = memchr(p, *mark, (size_t)(stop - p));
			if (!p)
				break;
			if (!(*mark == '[' ? read_bracket(line, end, p, &try) ||
					     read_verbose(line, end, p, &try) :
					     read_latency(line, end, p, &try)))
				continue;
			if (found && try.comm_len > COMM_MAX)
				break;
			*e = try;
			found = true;
		}
	return found;
}
