# the file does not exist; the folder contains no recording
status=0; hotdrift info no-such-file || status=$?; echo "status $status"
mkdir folder
status=0; hotdrift info folder || status=$?; echo "status $status"
