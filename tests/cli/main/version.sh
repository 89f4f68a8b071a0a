# --version prints one line of two words
hotdrift --version | grep -c -x 'hotdrift [0-9]*\.[0-9]*\.[0-9]*'
