# an invalid option is reported before an invalid file
hotdrift top --pid x no-such-file
