# no such file; a folder without a recording
status=0; hotdrift info no-such-file || status=$?; echo "status $status"
mkdir folder
status=0; hotdrift info folder || status=$?; echo "status $status"
