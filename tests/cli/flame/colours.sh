# flame draws with palettes, fixed colours by name, the palette map and attributes
fills() { grep -o '<title>[a-z_]*$\|fill="#[0-9a-f]*"' "$1" | sed 's/<title>//' | paste -sd ' ' -; }
printf 'app;main;parse 4\napp;main;sys_read_[k] 2\n' >f
for p in hot mem io java js red aqua; do hotdrift flame -c $p f -o f.svg; echo "$p: $(fills f.svg)"; done
hotdrift flame --hash --colors green f -o f.svg; fills f.svg
hotdrift flame --colordiffusion f -o f.svg; fills f.svg
printf 'main->rgb(1,2,3)\n' >palette.map
hotdrift flame --cp f -o f.svg; fills f.svg; sed 's/rgb(.*/rgb/' palette.map
hotdrift flame --cp f -o g.svg; cmp f.svg g.svg
echo broken >other.map; hotdrift flame --cp=other.map f || echo "status $?"
printf 'parse\thref=https://example.org/p\ttitle=reads rows\n' >names
hotdrift flame --nameattr names f | grep -o '<a [^>]*><title>parse$'
printf 'parse\tonclick=alert(1)\n' >names; hotdrift flame --nameattr names f || echo "status $?"
printf 'parse\thref=javascript:alert(1)\n' >names; hotdrift flame --nameattr names f || echo "status $?"
hotdrift flame --encoding us-ascii --title 'naïve' f | LC_ALL=C grep -c '[^ -~	]' || :
hotdrift flame --no-javascript f | grep -c '<script' || :
