-- The known state of a session: its probe, and its guard, which lets each counter count it once and finds the receipt of
-- an identical retry. Uses base, home, now, nowText, session.

-- Contents are named by the number of their message: a receipt holds the numbers, and the contents stay here. `names` are those of the sketch, the index and, a
-- pair for each page, load and update.
local function readProbe()
  local key = home .. 'p:' .. session
  local packed = redis.call('HGET', key, 'i')
  if not packed then return nil, '' end
  local state = cmsgpack.unpack(packed)
  if now - state.at >= bounds.probeMs then return nil, '' end
  local pairsOf, fields, device, first = {}, {}, '', nil
  for _, page in ipairs(state.pages) do
    if page.loaded or now - page.at < bounds.updateMs then
      local load, update = formatInteger(page.load), formatInteger(page.update)
      pairsOf[#pairsOf + 1] = load .. ',' .. update
      fields[#fields + 1], fields[#fields + 2] = 'c' .. load, 'c' .. update
      if device == '' then device = page.device end
      if not first and page.load ~= 0 then first = page.load end
    end
  end
  if #fields == 0 then return nil, '' end
  first = formatInteger(first or 0)
  local contents = redis.call('HMGET', key, 'k' .. first, 'x' .. first, unpack(fields))
  local probe = {
    key = key, state = state, device = device, names = first .. ' ' .. table.concat(pairsOf, ' '), contents = contents,
    sketch = contents[1] or '', index = contents[2] or '', bands = {}, offsets = {},
  }
  if probe.index ~= '' then
    local index = cmsgpack.unpack(probe.index)
    probe.bands, probe.offsets = index[1], index[2]
  end
  return probe, state.version
end

-- Keeps what a receipt refers to for as long as the receipt.
local function holdProbe(probe)
  local state, held = probe.state, probe.state.held
  for number in string.gmatch(probe.names, '%d+') do
    if number ~= '0' and not string.find(held, ' ' .. number .. ' ', 1, true) then held = held .. number .. ' ' end
  end
  if held ~= state.held then
    state.held = held
    redis.call('HSET', probe.key, 'i', cmsgpack.pack(state))
  end
  redis.call('PEXPIRE', probe.key, formatInteger(bounds.receiptMs))
end

-- [first scored, last scored, counters, replays, kept from]
local guard
-- The counters that this call adds, in order and by name, and how long they are together.
local added, addedLength

local function readGuard(packed)
  guard = packed and cmsgpack.unpack(packed)
  if not guard or now - guard[2] >= bounds.guardMs or clock - guard[5] >= bounds.guardMs then guard = { now, now, '', {}, now } end
  guard[1] = math.min(guard[1], now)
  added, addedLength = {}, 0
end

local function writeGuard()
  guard[2], guard[3] = math.max(guard[2], now), guard[3] .. table.concat(added)
  guard[5] = math.max(guard[2], clock)
  redis.call('SET', base .. 's:' .. session, cmsgpack.pack(guard), 'PX', bounds.guardMs)
end

-- Whether the session is new to a counter, which it then is no longer. `label` is the counter’s name and a semicolon.
local function admit(label)
  local known = guard[3]
  if added[label] or (known ~= '' and string.find(';' .. known, ';' .. label, 1, true)) then return false end
  if #known + addedLength + #label > bounds.guardLengthMax then return false end
  added[#added + 1], added[label], addedLength = label, true, addedLength + #label
  return true
end

local function findReplay(fingerprint, version)
  local replays = guard[4]
  for i = 1, #replays do
    local replay = replays[i]
    if replay[1] == fingerprint and replay[2] == version and now - replay[4] < bounds.receiptMs then return replay[3], replay[4] end
  end
  return nil
end

local function noteReplay(fingerprint, version, receiptId)
  local replays, before = { { fingerprint, version, receiptId, now } }, guard[4]
  for i = 1, #before do
    local replay = before[i]
    if #replays < bounds.replaysMax and (replay[1] ~= fingerprint or replay[2] ~= version) then replays[#replays + 1] = replay end
  end
  guard[4] = replays
end

-- A signature is good for the one session that brought it first.
local function claimSignature(signature)
  if signature == '' then return false end
  local key = base .. 'g:' .. signature
  local owner, claimedAt = string.match(redis.call('GET', key) or '', '^(.*) (%d+)$')
  if owner and now - claimedAt < bounds.signatureMs then return owner == session end
  redis.call('SET', key, session .. ' ' .. nowText, 'PX', bounds.signatureMs)
  return true
end

-- Reads the value of a caller's idempotency key: "fingerprint receipt time".
local function findPromised(idempotency)
  if idempotency == '' then return nil end
  local fingerprint, receiptId, notedAt = string.match(redis.call('GET', base .. 'i:' .. idempotency) or '', '^(%S+) (%S+) (%d+)$')
  if not fingerprint or now - notedAt >= bounds.receiptMs then return nil end
  return fingerprint, receiptId
end

local function notePromised(idempotency, fingerprint, receiptId, givenAt)
  if idempotency == '' then return end
  redis.call('SET', base .. 'i:' .. idempotency, fingerprint .. ' ' .. receiptId .. ' ' .. formatTimestamp(givenAt), 'PX', bounds.receiptMs)
end
