-- Takes or renews the rebuilding of a project. KEYS[1] the tag of the project or of its mode; ARGV: the owner, and '1' to renew.
local key, mine = KEYS[1] .. 'rebuild', ARGV[1] .. ' ' .. holdOf()
local held = redis.call('GET', key)
if held and string.match(held, '^%S+') ~= ARGV[1] then return 'taken' end
if ARGV[2] == '1' and held ~= mine then return 'interrupted' end
redis.call('SET', key, mine, 'PX', bounds.claimMs)
return 'held'
