-- 013_normal_names.sql - a new version, so that symbol.normal is computed again
--
-- Normal names lose the suffix .cfi and the module's hash and number in anon.HASH.N (src/base/symbol_name.h).

UPDATE symbol SET normal = normal WHERE 1 = 0;
