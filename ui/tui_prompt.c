/* SPDX-License-Identifier: MIT */
/* A line that is typed in the status line. */
#include "ui/tui_local.h"

#include "model/err.h"
#include "ui/utf8.h"

#include <stdio.h>
#include <string.h>

const struct tui_binding tui_prompt_keys[] = {
	{ 0, 0, 0, "while something is asked" },
	{ KEY_OF_ENTER, 0, 0, "take it" },
	{ KEY_OF_ESCAPE, 0, 0, "leave it; of a filter: show all" },
	{ KEY_OF_BACKSPACE, 0, 0, "wipe the last character" },
	{ KEY_OF_ERASE_LINE, 0, 0, "wipe all of it" },
	{ 0, 0, 0, NULL },
};

void tui_ask(struct tui *t, const struct tui_prompt *p, const char *text)
{
	t->prompt = *p;
	snprintf(t->prompt.text, sizeof(t->prompt.text), "%s", text);
}

static void drop_last(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = 0;
}

static bool append(struct tui_prompt *p, int code)
{
	size_t len = strlen(p->text);
	char utf8[4];
	int n;

	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
	    utf8_width(code) < 0)
		return false;
	n = utf8_encode(code, utf8);
	if (len + n >= sizeof(p->text))
		return false;
	memcpy(p->text + len, utf8, n);
	p->text[len + n] = 0;
	return true;
}

int tui_prompt_key(struct tui *t, int code, struct err *err)
{
	struct tui_prompt *p = &t->prompt, was = *p;

	switch (code) {
	case KEY_OF_ENTER:
		p->label = NULL;
		return was.done ? was.done(was.view, t, was.text, err) : 0;
	case KEY_OF_ESCAPE:
		p->label = NULL;
		if (was.dropped)
			was.dropped(was.view, t);
		return 0;
	case KEY_OF_BACKSPACE:
		drop_last(p->text);
		break;
	case KEY_OF_ERASE_LINE:
		p->text[0] = 0;
		break;
	default:
		if (!append(p, code))
			return 0;
		break;
	}
	if (p->changed)
		p->changed(p->view, t, p->text);
	return 0;
}
