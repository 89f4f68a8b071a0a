printf '[hotdrift]\ndb = postgresql://db.example/drift\n[target a]\nrun = one\n  two\n[target b]\nrun = x\n' \
	>hotdrift.ini
hotdrift target -0 a | sed "s|$PWD|HERE|g" | tr '\000' '|'
echo
hotdrift target -0 | sed "s|$PWD|HERE|g" | tr '\000' '|'
