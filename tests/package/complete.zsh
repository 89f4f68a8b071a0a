# complete.zsh SCRIPT TEXT PATTERN - type TEXT and a tab into an interactive zsh that has read the completion SCRIPT
#
# It prints "found" when PATTERN is on the terminal.
zmodload zsh/zpty
zpty shell zsh -f -i
# The word is split in the command, so that the echo of the command does not look like its output.
zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source ${(q)1}; print RE\\ADY"
zpty -r -m shell screen "*READY*"
zpty -w -n shell "$2"$'\t'
zpty -r -m shell screen "*$3*" && print found
zpty -d shell
