-- Takes or renews the rebuilding of a project. KEYS[1] the tag of the project or of its mode.
local key, mine = KEYS[1] .. 'rebuild', ARGV[argument.owner] .. ' ' .. holdOf()
local held = redis.call('GET', key)
if held and string.match(held, '^%S+') ~= ARGV[argument.owner] then return 'taken' end
if ARGV[argument.renewal] == '1' and held ~= mine then return 'interrupted' end
redis.call('SET', key, mine, 'PX', bounds.claimMs)
return 'held'
