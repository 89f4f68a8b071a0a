# any other object is canonicalised by RFC 8785
printf '{"b":[1.50,-0.0,1E21,true,null],"a":{"\\u20ac":"\\u000f\\n","\\ud83d\\ude00":0}}' >c.json
hotdrift hash --canonical c.json
hotdrift hash --json c.json
