# lines that are not stacks are counted; with --strict they are an error
printf 'app;main 1\nnonsense\nmain -5\nmain 1e309\nmain 18446744073709551616\napp;main 2.5\n' >f
hotdrift info f | grep ^samples
status=0; hotdrift info --strict f || status=$?; echo "status $status"
