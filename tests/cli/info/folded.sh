# info reads folded stacks from standard input
printf 'app;main;work 30\napp;main 12\n# a comment\n' | hotdrift info -
