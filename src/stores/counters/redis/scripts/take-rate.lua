-- Fixed-window limits. KEYS[1] the tag; ARGV: how many calls come off each limit, then for each its key, itself and its window in ms. Takes as many as have
-- room under all of them; answers what had been used of each before, from which the caller knows how many those were.
local tag, keys = KEYS[1], {}
for at = 2, #ARGV, 3 do
  keys[#keys + 1] = tag .. 'l:' .. ARGV[at]
end
local room, before = tonumber(ARGV[1]), {}
for i, used in ipairs(redis.call('MGET', unpack(keys))) do
  before[i] = used or '0'
  room = math.min(room, tonumber(ARGV[3 * i]) - tonumber(before[i]))
end
if room > 0 then
  for i, key in ipairs(keys) do
    if redis.call('INCRBY', key, room) == room then redis.call('PEXPIRE', key, ARGV[3 * i + 1]) end
  end
end
return table.concat(before, ' ')
