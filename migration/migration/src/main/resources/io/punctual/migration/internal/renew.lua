-- Renews the lease of the importer. Runs after owner.lua.
--
-- KEYS     1 owner
-- Result   ['S']

return {'S'}
