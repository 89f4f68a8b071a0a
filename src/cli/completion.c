/*
 * completion.c - see completion.h
 *
 * value_of() decides what a word can be: one of several choices, a file, a folder, a target, or anything.  One writer
 * per shell translates this to the shell's language.  zsh and fish show help texts as descriptions; bash shows none.
 */
#include "cli/completion.h"

#include "cli/cmd.h"
#include "cli/help_text.h"
#include "profile/mode.h"

#include <ctype.h>
#include <string.h>

/* A shell command that prints the names of the targets in hotdrift.ini, one per line. */
#define TARGET_NAMES	"hotdrift target 2>/dev/null | cut -d \" \" -f 1"

enum value { NONE, ANYTHING, FILES, FOLDERS, TARGETS, CHOICES };

/*
 * An option of a command.  It comes from an option row (cmd.h) or, if the command has no rows (`profile`), from a line
 * of the command's help text.
 */
struct option {
	char letter;			/* letter of the short form, such as 'n' for -n; 0: none */
	const char *name;
	size_t name_len;
	enum value value;
	const char *choices;		/* if `value` is CHOICES: "a|b|c", not NUL-terminated, of choices_len bytes */
	size_t choices_len;
	bool optional;			/* the value is only valid as --name=VALUE */
	const char *help;
	size_t help_len;
};

/* A function of this type appends the text by which one shell completes the option `o` of `command`. */
typedef void option_fn(struct hd_buf *out, const char *command, const struct option *o);

/*
 * Return true if `arg`, the placeholder of a value in the help, is a list of words to choose from, such as "text|json".
 * Return false for other placeholders, such as "PATH|URL" or "dwarf,BYTES".
 */
static bool is_choices(const char *arg, size_t n)
{
	bool several = false;

	for (size_t i = 0; i < n; i++) {
		if (arg[i] == '|')
			several = true;
		else if (!islower((unsigned char)arg[i]) && !isdigit((unsigned char)arg[i]) && arg[i] != '-')
			return false;
	}
	return several;
}

static bool begins(const char *arg, size_t n, const char *word)
{
	return n >= strlen(word) && !memcmp(arg, word, strlen(word));
}

/* Return the kind of value that the option `name` takes.  `arg` is the placeholder of the value in the help. */
static enum value value_of(const char *name, size_t name_len, const char *arg, size_t n)
{
	if (is_choices(arg, n))
		return CHOICES;
	if (name_len == strlen("target") && !memcmp(name, "target", name_len))
		return TARGETS;
	if (begins(arg, n, "DIR"))
		return FOLDERS;
	if (begins(arg, n, "FILE") || begins(arg, n, "PATH") || begins(arg, n, "INPUT"))
		return FILES;
	return ANYTHING;
}

static void each_row(struct hd_buf *out, const char *command, const struct hd_opt *rows, option_fn *add)
{
	for (const struct hd_opt *o = rows; o && o->kind != HD_OPT_END; o++) {
		struct hd_buf help = { 0 };
		bool flag = hd_opt_is_flag(o);
		size_t n = flag ? 0 : strlen(o->arg);

		hd_help_expand(&help, o->help);
		add(out, command, &(struct option){
			.letter = o->letter, .name = o->name, .name_len = strlen(o->name),
			.value = flag ? NONE : value_of(o->name, strlen(o->name), o->arg, n),
			.choices = o->arg, .choices_len = n, .optional = o->kind == HD_OPT_MAYBE,
			.help = hd_buf_str(&help), .help_len = help.len,
		});
		hd_buf_release(&help);
	}
}

/*
 * Find the options in those lines of the help text `details` that have the form "  --name ARG, --other ARG
 * explanation".  The explanation is after the first two successive blanks and may be missing.
 */
static void each_line(struct hd_buf *out, const char *command, const char *details, option_fn *add)
{
	for (const char *line = details; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t end = strcspn(line, "\n"), words;
		const char *gap;

		if (strncmp(line, "  --", 4) != 0)
			continue;
		gap = memmem(line + 4, end - 4, "  ", 2);
		words = gap ? (size_t)(gap - line) : end;
		for (const char *at = line + 2; at && at < line + words;) {
			const char *name = at + 2, *comma = memmem(at, (size_t)(line + words - at), ", --", 4);
			size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
			const char *end_of_words = comma ? comma : line + words, *help = line + words;
			const char *arg = name + len < end_of_words ? name + len + 1 : end_of_words;
			size_t n = (size_t)(end_of_words - arg);

			help += strspn(help, " ");
			add(out, command, &(struct option){
				.name = name, .name_len = len,
				.value = n && *arg != '[' ? value_of(name, len, arg, n) : NONE,
				.choices = arg, .choices_len = n,
				.help = help, .help_len = (size_t)(line + end - help),
			});
			at = comma ? comma + 2 : NULL;
		}
	}
}

/* Call `add` for every option of a command, and for --help. */
static void each_option(struct hd_buf *out, const struct hd_cmd *c, option_fn *add)
{
	static const char help[] = "explain the command";

	each_row(out, c->name, c->opts, add);
	for (const struct hd_opt_group *g = c->groups; g && g->title; g++)
		each_row(out, c->name, g->opts, add);
	if (!c->opts && c->details)
		each_line(out, c->name, c->details, add);
	add(out, c->name, &(struct option){
		.letter = 'h', .name = "help", .name_len = 4, .help = help, .help_len = strlen(help) });
}

/* Append the words of `choices`, "a|b|c", with `separator` in place of each `|`. */
static void words(struct hd_buf *out, const char *choices, size_t n, const char *separator)
{
	for (size_t i = 0; i < n; i++) {
		if (choices[i] == '|')
			hd_buf_adds(out, separator);
		else
			hd_buf_addc(out, choices[i]);
	}
}

/*
 * If the operands of the command are known words, append them and return true: the modes or commands, or for targets a
 * shell substitution that prints their names.  Otherwise return false.
 */
static bool operand_words(struct hd_buf *out, const struct hd_cmd *c)
{
	if (!strcmp(c->name, "profile")) {
		for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++)
			if (m->help)
				hd_buf_addf(out, "%s ", m->word);
	} else if (!strcmp(c->name, "help")) {
		for (const struct hd_cmd *const *other = hd_cmds; *other; other++)
			hd_buf_addf(out, "%s ", (*other)->name);
	} else if (!strcmp(c->name, "target")) {
		hd_buf_adds(out, "$(" TARGET_NAMES ")");
		return true;
	} else {
		return false;
	}
	out->len--;
	return true;
}

/* ---- bash ---- */

static void bash_name(struct hd_buf *out, const char *command, const struct option *o)
{
	if (o->letter)
		hd_buf_addf(out, "-%c ", o->letter);
	hd_buf_addf(out, "--%.*s%s ", (int)o->name_len, o->name, o->optional ? "=" : "");
}

/* Append a branch of a bash `case`, for an option that has a value. */
static void bash_value(struct hd_buf *out, const char *command, const struct option *o)
{
	if (o->value == NONE || o->optional)
		return;
	hd_buf_adds(out, "\t\t");
	if (o->letter)
		hd_buf_addf(out, "-%c|", o->letter);
	hd_buf_addf(out, "--%.*s) ", (int)o->name_len, o->name);
	switch (o->value) {
	case CHOICES:
		hd_buf_adds(out, "words='");
		words(out, o->choices, o->choices_len, " ");
		hd_buf_adds(out, "'");
		break;
	case FILES:
		hd_buf_adds(out, "kind=f");
		break;
	case FOLDERS:
		hd_buf_adds(out, "kind=d");
		break;
	case TARGETS:
		hd_buf_adds(out, "words=$(" TARGET_NAMES ")");
		break;
	case ANYTHING:
	case NONE:
		hd_buf_adds(out, "kind=n");
	}
	hd_buf_adds(out, " ;;\n");
}

/*
 * bash splits words at `=`, so that `--format=json` is three words.  Names of files are completed by the shell itself
 * (-o default), which knows how to quote them.
 */
static void bash(struct hd_buf *out)
{
	hd_buf_adds(out,
		"# bash completion for hotdrift, from `hotdrift help --completion bash`\n"
		"_hotdrift() {\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' options='' "
			"words='' kind='' i\n"
		"\n"
		"\tif [ \"$current\" = = ]; then\n"
		"\t\tcurrent=''\n"
		"\telif [ \"$previous\" = = ] && [ \"$COMP_CWORD\" -gt 1 ]; then\n"
		"\t\tprevious=${COMP_WORDS[COMP_CWORD-2]}\n"
		"\tfi\n"
		"\t[ \"$COMP_CWORD\" = 1 ] || command=${COMP_WORDS[1]}\n"
		"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
		"\t\t[ \"${COMP_WORDS[i]}\" != -- ] || return 0\n"
		"\tdone\n"
		"\tcase $command in\n"
		"\t'') words='");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++)
		hd_buf_addf(out, "%s ", (*c)->name);
	hd_buf_adds(out, "' options='--help --version --no-pager' ;;\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		struct hd_buf operands = { 0 };

		hd_buf_addf(out, "\t%s)\n\t\toptions='", (*c)->name);
		each_option(out, *c, bash_name);
		hd_buf_adds(out, "'\n\t\tcase $previous in\n");
		each_option(out, *c, bash_value);
		if (operand_words(&operands, *c))
			hd_buf_addf(out, "\t\t*) words=\"%s\" ;;\n", hd_buf_str(&operands));
		hd_buf_adds(out, "\t\tesac ;;\n");
		hd_buf_release(&operands);
	}
	hd_buf_adds(out,
		"\tesac\n"
		"\tcase $kind$current in\n"
		"\tf*) return 0 ;;\n"
		"\td*) mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return 0 ;;\n"
		"\tn*) compopt +o default +o bashdefault 2>/dev/null; return 0 ;;\n"
		"\t-*) words=$options ;;\n"
		"\tesac\n"
		"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
		"\tcase ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
		"\treturn 0\n"
		"}\n"
		"complete -o bashdefault -o default -F _hotdrift hotdrift\n");
}

/* ---- zsh ---- */

/* Append text inside of a specification for _arguments of zsh, which is in single quotes. */
static void zsh_text(struct hd_buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n && text[i] != '\n'; i++) {
		if (text[i] == '\'')
			hd_buf_adds(out, "'\\''");
		else if (strchr("[]:\\", text[i]))
			hd_buf_addf(out, "\\%c", text[i]);
		else
			hd_buf_addc(out, text[i]);
	}
}

static void zsh_option(struct hd_buf *out, const char *command, const struct option *o)
{
	/* `*` lets an option be repeated. */
	hd_buf_adds(out, "\t\t\t");
	if (o->letter)
		hd_buf_addf(out, "'*'{-%c,--%.*s%s}'[", o->letter, (int)o->name_len, o->name, o->value ? "=" : "");
	else
		hd_buf_addf(out, "'*--%.*s%s[", (int)o->name_len, o->name, o->optional ? "=-" : o->value ? "=" : "");
	zsh_text(out, o->help, o->help_len);
	hd_buf_adds(out, "]");
	switch (o->value) {
	case CHOICES:
		hd_buf_addf(out, "%s%.*s:(", o->optional ? "::" : ":", (int)o->name_len, o->name);
		words(out, o->choices, o->choices_len, " ");
		hd_buf_adds(out, ")");
		break;
	case FILES:
		hd_buf_adds(out, o->optional ? "::file:_files" : ":file:_files");
		break;
	case FOLDERS:
		hd_buf_adds(out, o->optional ? "::folder:_files -/" : ":folder:_files -/");
		break;
	case TARGETS:
		hd_buf_adds(out, ":target:($(" TARGET_NAMES "))");
		break;
	case ANYTHING:
		hd_buf_adds(out, o->optional ? "::value: " : ":value: ");
		break;
	case NONE:
		break;
	}
	hd_buf_adds(out, "' \\\n");
}

static void zsh(struct hd_buf *out)
{
	hd_buf_adds(out,
		"#compdef hotdrift\n"
		"# zsh completion for hotdrift, from `hotdrift help --completion zsh`\n"
		"_hotdrift() {\n"
		"\tlocal -a commands\n"
		"\n"
		"\tif (( CURRENT == 2 )); then\n"
		"\t\tcommands=(\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		hd_buf_addf(out, "\t\t\t'%s:", (*c)->name);
		zsh_text(out, (*c)->summary, strlen((*c)->summary));
		hd_buf_adds(out, "'\n");
	}
	hd_buf_adds(out,
		"\t\t)\n"
		"\t\t_describe command commands\n"
		"\t\treturn\n"
		"\tfi\n"
		"\tlocal command=${words[2]}\n"
		"\tshift words\n"
		"\t(( CURRENT-- ))\n"
		"\tcase $command in\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		struct hd_buf operands = { 0 };

		hd_buf_addf(out, "\t%s)\n\t\t_arguments -s -S \\\n", (*c)->name);
		each_option(out, *c, zsh_option);
		if (!strcmp((*c)->name, "profile")) {
			operand_words(&operands, *c);
			hd_buf_addf(out, "\t\t\t'1:mode:(%s)' '*::command:_normal' ;;\n", hd_buf_str(&operands));
		} else if (operand_words(&operands, *c)) {
			hd_buf_addf(out, "\t\t\t\"*:word:(%s)\" ;;\n", hd_buf_str(&operands));
		} else {
			hd_buf_adds(out, "\t\t\t'*:file:_files' ;;\n");
		}
		hd_buf_release(&operands);
	}
	hd_buf_adds(out,
		"\tesac\n"
		"}\n"
		"\n"
		"# The file is either autoloaded as the function itself, or sourced.\n"
		"if [ \"$funcstack[1]\" = _hotdrift ]; then\n"
		"\t_hotdrift \"$@\"\n"
		"else\n"
		"\tcompdef _hotdrift hotdrift\n"
		"fi\n");
}

/* ---- fish ---- */

/* Append a string in single quotes. */
static void fish_text(struct hd_buf *out, const char *text, size_t n)
{
	hd_buf_addc(out, '\'');
	for (size_t i = 0; i < n && text[i] != '\n'; i++) {
		if (text[i] == '\'' || text[i] == '\\')
			hd_buf_addc(out, '\\');
		hd_buf_addc(out, text[i]);
	}
	hd_buf_addc(out, '\'');
}

static void fish_option(struct hd_buf *out, const char *command, const struct option *o)
{
	hd_buf_addf(out, "complete -c hotdrift -n '__hotdrift_is %s' -l %.*s", command, (int)o->name_len, o->name);
	if (o->letter)
		hd_buf_addf(out, " -s %c", o->letter);
	if (o->value && !o->optional)
		hd_buf_adds(out, " -r");
	switch (o->value) {
	case CHOICES:
		hd_buf_adds(out, " -f -a '");
		words(out, o->choices, o->choices_len, " ");
		hd_buf_adds(out, "'");
		break;
	case FILES:
		hd_buf_adds(out, " -F");
		break;
	case FOLDERS:
		hd_buf_adds(out, " -f -a '(__fish_complete_directories)'");
		break;
	case TARGETS:
		hd_buf_adds(out, " -f -a '(" TARGET_NAMES ")'");
		break;
	case ANYTHING:
		hd_buf_adds(out, " -f");
		break;
	case NONE:
		break;
	}
	hd_buf_adds(out, " -d ");
	fish_text(out, o->help, o->help_len);
	hd_buf_addc(out, '\n');
}

static void fish(struct hd_buf *out)
{
	hd_buf_adds(out,
		"# fish completion for hotdrift, from `hotdrift help --completion fish`\n"
		"function __hotdrift_is\n"
		"\tset -l words (commandline -opc)\n"
		"\ttest (count $words) -ge 2; and test $words[2] = $argv[1]; and not contains -- -- $words\n"
		"end\n"
		"complete -c hotdrift -n 'test (count (commandline -opc)) = 1' -f\n");
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		hd_buf_addf(out, "complete -c hotdrift -n 'test (count (commandline -opc)) = 1' -a %s -d ", (*c)->name);
		fish_text(out, (*c)->summary, strlen((*c)->summary));
		hd_buf_addc(out, '\n');
	}
	for (const struct hd_cmd *const *c = hd_cmds; *c; c++) {
		struct hd_buf operands = { 0 };

		each_option(out, *c, fish_option);
		/* fish writes $(...) as (...) */
		if (operand_words(&operands, *c))
			hd_buf_addf(out, "complete -c hotdrift -n '__hotdrift_is %s' -f -a '%s'\n", (*c)->name,
				hd_buf_str(&operands) + (*hd_buf_str(&operands) == '$'));
		hd_buf_release(&operands);
	}
}

void hd_completion(struct hd_buf *out, enum hd_completion_shell shell)
{
	static void (*const add[])(struct hd_buf *out) = {
		[HD_COMPLETION_BASH] = bash, [HD_COMPLETION_ZSH] = zsh, [HD_COMPLETION_FISH] = fish,
	};

	add[shell](out);
}
