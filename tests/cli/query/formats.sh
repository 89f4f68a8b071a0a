# a table, CSV and JSON; NULL differs from the text NULL, and cells cannot contain active content
printf 'main;f 1\n' >a.folded
hotdrift add a.folded >/dev/null
sql="SELECT NULL AS a, 'NULL' AS b, '' AS c, 1 AS d, 2.5 AS e, x'00ff' AS f, 'x' || char(10, 27) || 'y' AS g,
	'=1+1' AS h, 'a\\x0ab' AS i"
hotdrift query "$sql"
hotdrift query --csv "$sql"
hotdrift query --json "$sql"
hotdrift query --csv -n 2 \
	'WITH RECURSIVE r (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 9) SELECT x FROM r' 2>&1
hotdrift query -- 'SELECT $1 AS a, $2 AS b' "it's" '--"'
hotdrift query --json 'SELECT 1 WHERE 0'
hotdrift query --list
hotdrift query --name symbol-history f --csv | sed 's/^"[^"]*"/TIME/; s/"[^"]*"$/RUN/'
