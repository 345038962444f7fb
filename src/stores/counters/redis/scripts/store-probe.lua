-- Keeps a message of the probe. KEYS[1] the project’s tag; ARGV: now, session, nonce, phase, seq, content, device,
-- sketch (packed), index (packed bands and term cells).
local base, now, session, nonce, phase = KEYS[1], tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local seq, content, device, sketch, index = tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local isLoad = phase == 'load'

local nonceKey = base .. 'n:' .. nonce
local owner, usedAt = string.match(redis.call('GET', nonceKey) or '', '^(.*) (%d+)$')
if owner and now - tonumber(usedAt) >= bounds.probeMs then owner = nil end
if owner and owner ~= session then return 'nonce_reused' end

local key = base .. 'p:' .. session
local kept = redis.call('HMGET', key, 'n', 'ls', 'us', 'at')
if kept[4] and now - tonumber(kept[4]) >= bounds.probeMs then
  redis.call('DEL', key)
  kept = { false, false, false, false }
end
local samePage = kept[1] == nonce
if kept[1] and not samePage and owner then return 'stale' end
if samePage and seq <= tonumber(isLoad and kept[2] or kept[3]) then return 'stale' end

local loadSeq, updateSeq = -1, -1
if samePage then loadSeq, updateSeq = tonumber(kept[2]), tonumber(kept[3]) end
if isLoad then loadSeq = seq else updateSeq = seq end

redis.call('SET', nonceKey, session .. ' ' .. now, 'PX', bounds.probeMs)
redis.call('HSET', key, 'n', nonce, 'ls', loadSeq, 'us', updateSeq, 'at', now)
if isLoad then
  redis.call('HSET', key, 'l', content, 'd', device, 'k', sketch, 'x', index)
else
  redis.call('HSET', key, 'u', content)
end
redis.call('PEXPIRE', key, bounds.probeMs)
return 'stored'
