# folded text: its first frame, the command, is counted as a function
printf 'app;main;work 30\napp;main;work;work 10\napp;main 2\n' | hotdrift top --total -
