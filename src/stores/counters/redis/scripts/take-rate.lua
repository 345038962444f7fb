-- KEYS[1] the tag; ARGV: the limits.
local allowed, used = takeRates(KEYS[1], 1)
return used
