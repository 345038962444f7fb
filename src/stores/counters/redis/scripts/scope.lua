-- What a scope has of its own: the latest sessions with their prefixes, and its sessions by band. One hash holds the
-- figures of both, read and written once a call; # begins what is not a prefix. Uses at, now, nowText, session, scope,
-- restoring, within, admit.

local scopeKey, listKey, state, changes

local function readScope(prefix)
  scopeKey, listKey, changes = at .. 'w', at .. 'r', {}
  local names = { '#squares', '#prefixes', '#length', '#oldest', '#newest', '#renewed', '#generation', '#began', '#sessions', prefix }
  local values = redis.call('HMGET', scopeKey, unpack(names))
  state = {}
  for i, name in ipairs(names) do
    state[name] = values[i]
  end
end

local function change(name, value)
  state[name], changes[name] = value, value
end

local function figure(name)
  return tonumber(state[name] or 0)
end

local function writeScope()
  if not next(changes) then return end
  local renew = now - figure('#renewed') >= bounds.dayMs
  if renew then change('#renewed', nowText) end
  local written = {}
  for name, value in pairs(changes) do
    written[#written + 1] = name
    written[#written + 1] = value
  end
  redis.call('HSET', scopeKey, unpack(written))
  if renew then
    redis.call('PEXPIRE', scopeKey, 4 * bounds.dayMs)
    redis.call('PEXPIRE', listKey, 4 * bounds.dayMs)
  end
end

-- Two generations of a hash from band to sightings: the current one is written, and takes over what it touches of the
-- one before. A generation ends after a day or when it is full; the one before it is dropped then.
local function exchangeBands(bands)
  if #bands == 0 or not within(bounds.similarMs) then return {} end
  local generation, began, count = figure('#generation'), tonumber(state['#began'] or now), figure('#sessions')
  if count >= bounds.bandGenerationSessions or now - began >= bounds.similarMs then
    redis.call('UNLINK', at .. 'x' .. (generation - 1))
    generation, began, count = generation + 1, now, 0
  end
  local key = at .. 'x' .. generation
  local texts = redis.call('HMGET', key, unpack(bands))
  local before = generation > 0 and redis.call('HMGET', at .. 'x' .. (generation - 1), unpack(bands)) or {}
  local writes = {}
  for i = 1, #bands do
    texts[i] = texts[i] or before[i] or ''
    local text = addSighting(texts[i], bounds.similarMs, bounds.bandSessionsMax)
    if text ~= texts[i] then
      writes[#writes + 1] = bands[i]
      writes[#writes + 1] = text
    end
  end
  if #writes > 0 then
    redis.call('HSET', key, unpack(writes))
    -- A generation is written for a day at most, and read for one more after it.
    if count == 0 then redis.call('PEXPIRE', key, 3 * bounds.similarMs) end
    change('#generation', generation)
    change('#began', began)
    change('#sessions', count + 1)
  end
  return texts
end

local function timeOfEntry(entry)
  return tonumber(string.sub(entry, 1, 13))
end

-- Puts a restored session where its time belongs among those counted meanwhile.
local function insertInOrder(entry)
  local entries, i = redis.call('LRANGE', listKey, 0, -1), 1
  while i <= #entries and timeOfEntry(entries[i]) <= now do
    i = i + 1
  end
  table.insert(entries, i, entry)
  redis.call('DEL', listKey)
  for from = 1, #entries, 200 do
    redis.call('RPUSH', listKey, unpack(entries, from, math.min(from + 199, #entries)))
  end
  redis.call('PEXPIRE', listKey, 4 * bounds.dayMs)
  change('#oldest', entries[1])
end

local function addToWindow(prefix)
  local entry, length = nowText .. ' ' .. prefix, figure('#length')
  if restoring and length > 0 and timeOfEntry(state['#newest']) > now then
    if length >= bounds.neighborhoodSessionsMax and timeOfEntry(state['#oldest']) > now then return end
    insertInOrder(entry)
  else
    redis.call('RPUSH', listKey, entry)
    change('#newest', nowText)
    if length == 0 then
      change('#oldest', entry)
      -- The list is new, and so must be its expiry.
      state['#renewed'] = '0'
    end
  end
  local own = figure(prefix) + 1
  change(prefix, own)
  change('#squares', figure('#squares') + 2 * own - 1)
  if own == 1 then change('#prefixes', figure('#prefixes') + 1) end
  change('#length', length + 1)
end

local function dropOldest(prefix)
  local gone = string.sub(redis.call('LPOP', listKey), 15)
  local left
  if gone == prefix then
    left = figure(prefix) - 1
    change(prefix, left)
  else
    left = redis.call('HINCRBY', scopeKey, gone, -1)
    if left == 0 then redis.call('HDEL', scopeKey, gone) end
  end
  if left == 0 then change('#prefixes', figure('#prefixes') - 1) end
  change('#squares', figure('#squares') - 2 * left - 1)
  change('#length', figure('#length') - 1)
  change('#oldest', redis.call('LINDEX', listKey, 0) or '')
end

-- The latest sessions of the scope as a list of "time prefix", and how often each prefix stands in it. Answers the
-- figures of the neighborhood, and since when its window is.
local function advanceWindow(prefix)
  local first = now - bounds.neighborhoodMs + 1
  if figure('#length') > 0 and timeOfEntry(state['#newest']) < first then
    redis.call('UNLINK', listKey, scopeKey)
    local kept = state
    state, changes = {}, {}
    for _, name in ipairs({ '#generation', '#began', '#sessions' }) do
      if kept[name] then change(name, kept[name]) end
    end
  end
  if within(bounds.neighborhoodMs) and admit('w' .. scope) then addToWindow(prefix) end
  while figure('#length') > 0 and (timeOfEntry(state['#oldest']) < first or figure('#length') > bounds.neighborhoodSessionsMax) do
    dropOldest(prefix)
  end
  local since = figure('#length') > 0 and math.max(first, timeOfEntry(state['#oldest'])) or now
  return { figure('#length'), 0, 0, figure(prefix), figure('#squares'), figure('#prefixes') }, since
end
