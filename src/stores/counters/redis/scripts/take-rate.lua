-- KEYS[1] the tag; ARGV: the limits, at least one.
local keys = rateKeys(KEYS[1])
local allowed, used = takeRates(keys, redis.call('MGET', unpack(keys)))
return used
