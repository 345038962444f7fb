-- Saves the cursor of a rebuild, or returns it if no owner is given. KEYS[1] the tag of the project or of its mode; ARGV: owner, cursor. Under another run of the
-- server, or after another took over, as after its emptying, nothing is known of a rebuild: what it had brought back may be gone.
local base, owner, hold = KEYS[1], ARGV[1], holdOf()
if owner == '' then
  return string.match(redis.call('GET', base .. 'rebuilt') or '', '^' .. hold .. ' (.+)$') or ''
end
if redis.call('GET', base .. 'rebuild') ~= owner .. ' ' .. hold then return 'interrupted' end
redis.call('SET', base .. 'rebuilt', hold .. ' ' .. ARGV[2], 'PX', bounds.completeMs)
return 'noted'
