# the database is that of --db, $HOTDRIFT_DB, db of hotdrift.ini, or results/hotspots.db of the checkout, in this order
git init -q .
mkdir -p a/b elsewhere
echo 'main;parse 30' >x.folded
add() { hotdrift add "$@" --target serve --commit none --recorded 2026-11-20T10:00:00Z >/dev/null; }
where() { find . -name '*.db' | sort; find . -name '*.db' -exec rm {} +; rm -rf results; }
echo '== without a word about it: in the root of the checkout'
(cd a/b && add ../../x.folded && hotdrift log | wc -l && hotdrift top latest -n 1 | sed -n 3p)
where
echo '== hotdrift.ini: relative to the file'
printf '[hotdrift]\ndb = elsewhere/ours.db\n' >hotdrift.ini
(cd a && add ../x.folded && hotdrift log | wc -l)
where
echo '== the variable before the file'
(cd a && export HOTDRIFT_DB=own.db && add ../x.folded && hotdrift log | wc -l)
where
echo '== the option before all'
(cd a && HOTDRIFT_DB=own.db add ../x.folded --db said.db && hotdrift log --db said.db | wc -l)
where
echo '== the messages name it as the shell would take it'
cd a/b || exit
hotdrift log 2>&1 || echo "status $?"
rm ../../hotdrift.ini
hotdrift log 2>&1 || echo "status $?"
