-- KEYS[1] the tag; ARGV: the limits, at least one.
local keys = rateKeys(KEYS[1], 1)
local allowed, used = takeRates(keys, 1, redis.call('MGET', unpack(keys)))
return used
