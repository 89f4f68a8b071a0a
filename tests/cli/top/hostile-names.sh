# names are escaped in a terminal
printf 'app;evil\\x1b[2Jname 5\napp;a\\x0ab 4\napp;\\u{202e}txt 3\napp;\\x5bunknown] 2\napp;[unknown] 1\n' >f
hotdrift top f
hotdrift top --format markdown f | tail -n 5
hotdrift top --json f | grep '"symbol"' | cut -d , -f 2
