-- Marks a project as complete from now on. KEYS[1] the tag of the project or of its mode.
local base, now, owner = KEYS[1], ARGV[argument.now], ARGV[argument.owner]
if owner ~= '' and redis.call('GET', base .. 'rebuild') ~= owner .. ' ' .. holdOf() then return 'interrupted' end
redis.call('SET', base .. 'complete', now, 'PX', bounds.completeMs)
noteComplete(base, now, runOf())
redis.call('DEL', base .. 'lost', base .. 'rebuild', base .. 'rebuilt')
return 'complete'
