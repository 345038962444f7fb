-- Marks a project as complete from now on. KEYS[1] the tag of the project or of its mode; ARGV: now, and the owner or ''.
local base, now, owner = KEYS[1], ARGV[1], ARGV[2]
if owner ~= '' and redis.call('GET', base .. 'rebuild') ~= owner .. ' ' .. holdOf() then return 'interrupted' end
redis.call('SET', base .. 'complete', now, 'PX', bounds.completeMs)
noteComplete(base, now, runOf())
redis.call('DEL', base .. 'lost', base .. 'rebuild', base .. 'rebuilt')
return 'complete'
