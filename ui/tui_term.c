/* SPDX-License-Identifier: MIT */
#define NCURSES_WIDECHAR 1
#include "ui/tui_term.h"

#include "model/err.h"

#include <curses.h>
#include <term.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static SCREEN *screen;
static struct termios before;
static volatile sig_atomic_t ended_by, stop_wanted;
static sigset_t mask_before;	/* SIGTSTP comes only while a key is waited for */
static int nothing_read;	/* times that there was input, and none */
static char crash_stack[16384];	/* for a handler when the stack ran out */

#define NOTHING_READ_MAX 50

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int ending[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

/* Only what may be called from a signal handler. */
static void on_crash(int sig)
{
	/* main screen, cursor, mouse off, colours off, keypad off */
	static const char reset[] = "\033[?1049l\033[?25h\033[?1000l\033[?1002l"
				    "\033[?1006l\033[0m\033[?1l\033>\r\n";

	if (write(STDOUT_FILENO, reset, sizeof(reset) - 1) < 0) {
		/* there is nobody left to tell */
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_end(int sig)
{
	ended_by = sig;
}

static void on_stop(int sig)
{
	stop_wanted = 1;
}

/* In place of ncurses' own handler, which may interrupt its writing. */
static void catch_stop(void)
{
	struct sigaction sa = { .sa_handler = on_stop }, was;
	sigset_t stop;

	/* A shell without job control has it ignored. */
	sigaction(SIGTSTP, NULL, &was);
	if (was.sa_handler == SIG_IGN)
		return;
	sigaction(SIGTSTP, &sa, NULL);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
}

static void suspend(void)
{
	stop_wanted = 0;
	endwin();
	signal(SIGTSTP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
	raise(SIGTSTP);
	catch_stop();
	redrawwin(stdscr);
	refresh();
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_end };
	const stack_t stack = { .ss_sp = crash_stack,
				.ss_size = sizeof(crash_stack) };
	size_t i;

	sigaltstack(&stack, NULL);
	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaction(ending[i], &sa, NULL);
	sa.sa_handler = on_crash;
	sa.sa_flags = SA_RESETHAND | SA_ONSTACK;
	for (i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaction(fatal[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, NULL, &mask_before);
	catch_stop();
}

static void release_signals(void)
{
	size_t i;

	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		signal(ending[i], SIG_DFL);
	for (i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* A screen needs a cursor that can be put anywhere, and lines that are wiped. */
static bool can_show(void)
{
	static const char *const needed[] = { "cup", "clear", "el" };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const char *has = tigetstr(needed[i]);

		if (!has || has == (const char *)-1)
			return false;
	}
	return true;
}

static int check_terminal(struct err *err)
{
	const char *term = getenv("TERM");
	int code = 0;
	bool can;

	if (!term || !*term)
		return err_set(err, ERR_USAGE,
			       "TERM is not set; 'homenode heatmap' prints "
			       "the same as plain text");
	if (setupterm(term, STDOUT_FILENO, &code) != OK)
		return err_set(err, ERR_USAGE, "terminal '%s' is not known; "
			       "'homenode heatmap' prints the same as plain "
			       "text", term);
	can = can_show();
	del_curterm(cur_term);
	if (!can)
		return err_set(err, ERR_USAGE, "terminal '%s' cannot show a "
			       "full screen; 'homenode heatmap' prints the "
			       "same as plain text", term);
	return 0;
}

static enum colours terminal_colours(void)
{
	const char *no = getenv("NO_COLOR");

	if ((no && *no) || !has_colors())
		return COLOURS_NONE;
	start_color();
	use_default_colors();
	return COLORS > 256  ? COLOURS_RGB :
	       COLORS == 256 ? COLOURS_256 :
	       COLORS >= 8   ? COLOURS_8 :
			       COLOURS_NONE;
}

int tui_term_open(struct tui_term_info *info, struct err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &before) < 0)
		return err_set(err, ERR_USAGE,
			       "stdin and stdout are to be a terminal");
	if (check_terminal(err) < 0)
		return err->code;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return err_set(err, ERR_USAGE, "terminal '%s' cannot be used",
			       getenv("TERM"));
	catch_signals();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	info->colours = terminal_colours();
	info->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	getmaxyx(stdscr, info->h, info->w);
	return 0;
}

void tui_term_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	release_signals();
}

int tui_term_signal(void)
{
	return ended_by;
}

static const struct {
	int curses, code;
} keys[] = {
	{ KEY_UP, KEY_OF_UP },
	{ KEY_DOWN, KEY_OF_DOWN },
	{ KEY_LEFT, KEY_OF_LEFT },
	{ KEY_RIGHT, KEY_OF_RIGHT },
	{ KEY_SLEFT, KEY_OF_SHIFT_LEFT },
	{ KEY_SRIGHT, KEY_OF_SHIFT_RIGHT },
	{ KEY_PPAGE, KEY_OF_PAGE_UP },
	{ KEY_NPAGE, KEY_OF_PAGE_DOWN },
	{ KEY_HOME, KEY_OF_HOME },
	{ KEY_END, KEY_OF_END },
	{ KEY_ENTER, KEY_OF_ENTER },
	{ KEY_BTAB, KEY_OF_BACK_TAB },
	{ KEY_BACKSPACE, KEY_OF_BACKSPACE },
	{ KEY_F(1), KEY_OF_HELP },
};

static int function_key(int c, struct tui_key *key)
{
	size_t i;
	MEVENT m;

	if (c == KEY_RESIZE) {
		getmaxyx(stdscr, key->y, key->x);
		return KEY_OF_RESIZE;
	}
	if (c == KEY_MOUSE) {
		if (getmouse(&m) != OK)
			return KEY_OF_NOTHING;
		key->x = m.x;
		key->y = m.y;
		return m.bstate & BUTTON4_PRESSED ? KEY_OF_WHEEL_UP :
		       m.bstate & BUTTON5_PRESSED ? KEY_OF_WHEEL_DOWN :
						    KEY_OF_CLICK;
	}
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == c)
			return keys[i].code;
	return KEY_OF_NOTHING;
}

static int plain_key(int c)
{
	switch (c) {
	case '\r':
	case '\n':
		return KEY_OF_ENTER;
	case '\t':
		return KEY_OF_TAB;
	case 0x7f:
	case '\b':
		return KEY_OF_BACKSPACE;
	case 0x1b:
		return KEY_OF_ESCAPE;
	case 'U' & 0x1f:
		return KEY_OF_ERASE_LINE;
	case 'L' & 0x1f:
		redrawwin(stdscr);
		return KEY_OF_REDRAW;
	default:
		return c;
	}
}

void tui_term_key(struct tui_key *key, int timeout_ms)
{
	struct timespec timeout = { timeout_ms / 1000,
				    timeout_ms % 1000 * 1000000L };
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int ret, was;
	wint_t c;

	*key = (struct tui_key){ .code = KEY_OF_NOTHING };
	ret = get_wch(&c);
	if (ret == ERR && !ended_by) {
		ret = ppoll(&p, 1, timeout_ms < 0 ? NULL : &timeout,
			    &mask_before);
		if (stop_wanted) {
			suspend();
			key->code = KEY_OF_REDRAW;
			return;
		}
		if (ret > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL)) {
			key->code = KEY_OF_HANGUP;
			return;
		}
		/* Also after a signal: a change of size comes as a key. */
		was = ret;
		ret = get_wch(&c);
		/* Where the terminal is gone there is input for ever. */
		nothing_read = was > 0 && ret == ERR ? nothing_read + 1 : 0;
	}
	if (ended_by || nothing_read > NOTHING_READ_MAX)
		key->code = KEY_OF_HANGUP;
	else if (ret == KEY_CODE_YES)
		key->code = function_key(c, key);
	else if (ret == OK)
		key->code = plain_key(c);
}

static void show_char(const struct canvas_look *l, int x, int y)
{
	wchar_t wide[CCHARW_MAX + 1] = { 0 };
	int pair = l->fg >= 0 || l->bg >= 0 ? alloc_pair(l->fg, l->bg) : 0;
	attr_t attr = (l->bold ? A_BOLD : 0) | (l->reverse ? A_REVERSE : 0);
	const char *s = l->ch;
	mbstate_t state = { 0 };
	cchar_t cell;

	if (pair < 0)
		pair = 0;
	if (mbsrtowcs(wide, &s, CCHARW_MAX, &state) == (size_t)-1)
		wcscpy(wide, L"?");
	if (setcchar(&cell, wide, attr, 0, &pair) == OK)
		mvadd_wch(y, x, &cell);
}

void tui_term_show(const struct canvas *c, enum colours colours,
		   enum theme theme)
{
	struct canvas_look l;
	int x, y;

	erase();
	for (y = 0; y < c->h; y++)
		for (x = 0; x < c->w; x++) {
			canvas_look(c, x, y, colours, theme, &l);
			if (l.ch[0])
				show_char(&l, x, y);
		}
	refresh();
}
