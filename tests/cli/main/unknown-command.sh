# a word that is neither a command nor an option of the program is a usage error
status=0; hotdrift nonsense || status=$?; echo "status $status"
status=0; hotdrift --nonsense || status=$?; echo "status $status"
status=0; hotdrift "$(printf 'a\nb\033[2J')" || status=$?; echo "status $status"
