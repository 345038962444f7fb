-- KEYS[1] the tag; ARGV: the limits, at least one, and how many calls come off each. Takes as many as have room under all of them; answers what had
-- been used of each before, from which the caller knows how many those were.
local keys = rateKeys(KEYS[1])
local room, before = tonumber(ARGV[argument.calls]), {}
for i, used in ipairs(redis.call('MGET', unpack(keys))) do
  before[i] = used or '0'
  room = math.min(room, tonumber(limitField(i, item.limit)) - tonumber(before[i]))
end
if room > 0 then
  for i = 1, #keys do
    if redis.call('INCRBY', keys[i], room) == room then redis.call('PEXPIRE', keys[i], limitField(i, item.windowMs)) end
  end
end
return table.concat(before, ' ')
