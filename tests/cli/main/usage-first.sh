# an option that is wrong is said before a file that is wrong
hotdrift top --pid x no-such-file
