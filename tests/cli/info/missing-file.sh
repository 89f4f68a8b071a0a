# info rejects a file that does not exist, and a folder that contains no recording
status=0; hotdrift info no-such-file || status=$?; echo "status $status"
mkdir folder
status=0; hotdrift info folder || status=$?; echo "status $status"
