# two targets and three modes: text, Markdown, JSON, CSV; the report has the number of excluded runs
# shellcheck source=/dev/null
. "$(dirname "$0")/matrix.inc"
matrix
hotdrift opportunities --db h.db
hotdrift opportunities --db h.db -n 2
hotdrift opportunities --db h.db -n 1 --markdown
hotdrift opportunities --db h.db -n 2 --json
hotdrift opportunities --db h.db -n 2 --csv --weights cpu=1
# one target only; and symbols that are cold at a higher limit
hotdrift opportunities --db h.db --target load
hotdrift opportunities --db h.db --target serve --weights cpu=3,memory=1 --hot 60 --skip none
