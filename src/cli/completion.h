/*
 * completion.h - scripts that complete hotdrift command lines in a shell, from the table of commands
 *
 * A script completes commands, options, the choices of an option, the names of files and folders, the targets of
 * hotdrift.ini (by `hotdrift target`) and the modes of `hotdrift profile`.  The scripts use the programmable completion
 * of bash (bash(1)), the completion functions of zsh (zshcompsys(1)), and `complete` of fish (fish-completions(7)).
 */
#ifndef HD_CLI_COMPLETION_H
#define HD_CLI_COMPLETION_H

#include "base/buf.h"

enum hd_completion_shell { HD_COMPLETION_BASH, HD_COMPLETION_ZSH, HD_COMPLETION_FISH };

#define HD_COMPLETION_SHELLS "bash|zsh|fish"	/* choices of an HD_OPT_ENUM row, in the order of the enum */

/* Append the script for one shell. */
void hd_completion(struct hd_buf *out, enum hd_completion_shell shell);

#endif
