# collapsed stacks: the first frame is a frame here
printf 'app;main;work 30\napp;main;work;work 10\napp;main 2\n' | hotdrift top --total -
