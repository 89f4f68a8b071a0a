# info rejects an empty file
: >empty.data
hotdrift info empty.data
