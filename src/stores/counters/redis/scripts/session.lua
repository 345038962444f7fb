-- What is known of a session: its probe, and its guard, which lets each counter count it once and finds the receipt of
-- an identical retry. Uses base, home, now, nowText, session.

-- Contents are named by the number of their message: a receipt holds the numbers, and the contents stay here.
local function readProbe()
  local key = home .. 'p:' .. session
  local p = redis.call('HMGET', key, 'n', 'ls', 'us', 'at', 'd', 'l', 'u', 'k', 'x', 'cl', 'cu', 'sl', 'su')
  if not p[1] or now - tonumber(p[4]) >= bounds.probeMs then return nil, '' end
  local probe = {
    key = key, seq = math.max(tonumber(p[2]), tonumber(p[3])), device = p[5] or '',
    load = p[6], update = p[7], sketch = p[8] or '', index = p[9] or '',
    loadNumber = p[6] and p[10], updateNumber = p[7] and p[11], scoredLoad = p[12], scoredUpdate = p[13],
    bands = {}, cells = {},
  }
  if probe.index ~= '' then
    local index = cmsgpack.unpack(probe.index)
    probe.bands, probe.cells = index[1], index[2]
  end
  return probe, p[1] .. ':' .. p[2] .. ':' .. p[3]
end

-- Keeps what a receipt refers to for as long as the receipt.
local function holdProbe(probe)
  if (probe.loadNumber or '') ~= probe.scoredLoad or (probe.updateNumber or '') ~= probe.scoredUpdate then
    redis.call('HSET', probe.key, 'sl', probe.loadNumber or '', 'su', probe.updateNumber or '')
  end
  redis.call('PEXPIRE', probe.key, bounds.receiptMs)
end

-- [first scored, last scored, counters, replays, kept from]
local guard

local function readGuard(packed)
  guard = packed and cmsgpack.unpack(packed)
  if not guard or now - guard[2] >= bounds.guardMs or clock - guard[5] >= bounds.guardMs then guard = { now, now, '', {}, now } end
  guard[1] = math.min(guard[1], now)
end

local function writeGuard()
  guard[2] = math.max(guard[2], now)
  guard[5] = math.max(guard[2], clock)
  redis.call('SET', base .. 's:' .. session, cmsgpack.pack(guard), 'PX', bounds.guardMs)
end

-- Whether the session is new to a counter, which it then is no longer.
local function admit(counter)
  local label = counter .. ';'
  if string.find(guard[3], label, 1, true) or #guard[3] + #label > bounds.guardLengthMax then return false end
  guard[3] = guard[3] .. label
  return true
end

local function findReplay(fingerprint, version)
  for _, replay in ipairs(guard[4]) do
    if replay[1] == fingerprint and replay[2] == version and now - replay[4] < bounds.receiptMs then return replay[3] end
  end
  return nil
end

local function noteReplay(fingerprint, version, receiptId)
  local replays = { { fingerprint, version, receiptId, now } }
  for _, replay in ipairs(guard[4]) do
    if #replays < bounds.replaysMax and (replay[1] ~= fingerprint or replay[2] ~= version) then replays[#replays + 1] = replay end
  end
  guard[4] = replays
end

-- A signature is good for the one session that brought it first.
local function claimSignature(signature)
  if signature == '' then return false end
  local key = base .. 'g:' .. signature
  local owner, claimedAt = string.match(redis.call('GET', key) or '', '^(.*) (%d+)$')
  if owner and now - tonumber(claimedAt) < bounds.signatureMs then return owner == session end
  redis.call('SET', key, session .. ' ' .. nowText, 'PX', bounds.signatureMs)
  return true
end
