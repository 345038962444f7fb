-- Keeps a message of the probe. KEYS[1] the project’s tag; ARGV: see argument-layouts.ts; the sketch is packed, and so is
-- the index of bands and term cells.
local function given(name) return ARGV[argument[name]] end
local home, now, session, nonce, phase = KEYS[1], tonumber(given('now')), given('session'), given('nonce'), given('phase')
local seq, content, device, sketch, index = tonumber(given('seq')), given('content'), given('device'), given('sketch'), given('index')
local isLoad = phase == 'load'

local nonceKey = home .. 'n:' .. nonce
local owner, usedAt = string.match(redis.call('GET', nonceKey) or '', '^(.*) (%d+)$')
if owner and now - tonumber(usedAt) >= bounds.probeMs then owner = nil end
if owner and owner ~= session then return 'nonce_reused' end

local key = home .. 'p:' .. session
local kept = redis.call('HMGET', key, 'n', 'ls', 'us', 'at', 'cl', 'cu', 'sl', 'su')
local loadNumber, updateNumber = kept[5], kept[6]

-- What a receipt refers to moves aside, under its number; anything else goes.
local function retire(fields, number, scored)
  if number and number == scored then
    local contents = redis.call('HMGET', key, unpack(fields))
    for i, field in ipairs(fields) do
      if contents[i] then redis.call('HSET', key, field .. number, contents[i]) end
    end
  end
  redis.call('HDEL', key, unpack(fields))
end

local scoredLoad, scoredUpdate = kept[7], kept[8]
local expired = kept[4] and now - tonumber(kept[4]) >= bounds.probeMs
if expired then kept = {} end
local samePage = kept[1] == nonce
if kept[1] and not samePage and owner then return 'stale' end
if samePage and seq <= tonumber(isLoad and kept[2] or kept[3]) then return 'stale' end

if isLoad or expired then retire({ 'l', 'k', 'x' }, loadNumber, scoredLoad) end
if not isLoad or expired then retire({ 'u' }, updateNumber, scoredUpdate) end
if expired then redis.call('HDEL', key, 'd') end

local loadSeq, updateSeq = -1, -1
if samePage then loadSeq, updateSeq = tonumber(kept[2]), tonumber(kept[3]) end
if isLoad then loadSeq = seq else updateSeq = seq end

redis.call('SET', nonceKey, session .. ' ' .. now, 'PX', bounds.probeMs)
if isLoad then
  redis.call('HSET', key, 'n', nonce, 'ls', loadSeq, 'us', updateSeq, 'at', now, 'l', content, 'd', device, 'k', sketch, 'x', index, 'cl', (loadNumber or 0) + 1)
else
  redis.call('HSET', key, 'n', nonce, 'ls', loadSeq, 'us', updateSeq, 'at', now, 'u', content, 'cu', (updateNumber or 0) + 1)
end
redis.call('PEXPIRE', key, bounds.probeMs)
return 'stored'
