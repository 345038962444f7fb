-- The state of a scope: the latest sessions with their prefixes. One hash holds the figures of these and of its bands, read and
-- written once a call; # begins what is not a prefix. Uses at, now, nowText, session, scope, restoring, within, admit.

local scopeKey, listKey
-- The figures of the window, of which `own` counts the sessions of the session's prefix. Figures that are only compared stay texts.
local squares, prefixes, length, oldest, newest, renewed, own
local squaresBefore, prefixesBefore, lengthBefore, ownBefore
-- A small hash is searched from end to end, also for what stands in front of its prefixes. One value that is longer than those of small hashes may be makes a
-- large one of it, which the server looks into by name.
local wideFrom, wide = 128, '.................................................................'
-- Names and values to be written.
local changes, changeCount, known

-- The figures of bands are asked for, and answered, where there are bands: a field that a small hash has not is looked for in all of it.
local function readScope(prefix, hasBands)
  scopeKey, listKey, changes, changeCount = at .. 'w', at .. 'r', {}, 0
  if hasBands then
    known = redis.call('HMGET', scopeKey, '#squares', '#prefixes', '#length', '#oldest', '#newest', '#renewed', '#wide', prefix, '#bands')
  else
    known = redis.call('HMGET', scopeKey, '#squares', '#prefixes', '#length', '#oldest', '#newest', '#renewed', '#wide', prefix)
  end
  squares, prefixes, length = (known[1] or 0) + 0, (known[2] or 0) + 0, (known[3] or 0) + 0
  oldest, newest, renewed, own = known[4], known[5], (known[6] or 0) + 0, (known[8] or 0) + 0
  squaresBefore, prefixesBefore, lengthBefore, ownBefore = squares, prefixes, length, own
  return known[9]
end

local function change(name, value)
  changes[changeCount + 1], changes[changeCount + 2] = name, value
  changeCount = changeCount + 2
end

local function writeScope()
  if changeCount == 0 then return end
  local renew = now - renewed >= bounds.dayMs
  if renew then change('#renewed', nowText) end
  redis.call('HSET', scopeKey, unpack(changes, 1, changeCount))
  if renew then
    redis.call('PEXPIRE', scopeKey, 4 * bounds.dayMs)
    redis.call('PEXPIRE', listKey, 4 * bounds.dayMs)
  end
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
  oldest = entries[1]
end

local function addToWindow(prefix)
  local entry = nowText .. ' ' .. prefix
  if restoring and length > 0 and timeOfEntry(newest) > now then
    if length >= bounds.neighborhoodSessionsMax and timeOfEntry(oldest) > now then return end
    insertInOrder(entry)
  else
    redis.call('RPUSH', listKey, entry)
    newest = nowText
    -- The list is new, and so must be its expiry.
    if length == 0 then oldest, renewed = entry, 0 end
  end
  own = own + 1
  squares = squares + 2 * own - 1
  if own == 1 then prefixes = prefixes + 1 end
  length = length + 1
end

local function dropOldest(prefix)
  local gone = string.sub(redis.call('LPOP', listKey), 15)
  local left
  if gone == prefix then
    own = own - 1
    left = own
  else
    left = redis.call('HINCRBY', scopeKey, gone, -1)
    if left == 0 then redis.call('HDEL', scopeKey, gone) end
  end
  if left == 0 then prefixes = prefixes - 1 end
  squares = squares - 2 * left - 1
  length = length - 1
  oldest = redis.call('LINDEX', listKey, 0) or ''
end

-- The figures of the window after the call.
local function changeWindow(prefix)
  if squares ~= squaresBefore then change('#squares', formatInteger(squares)) end
  if prefixes ~= prefixesBefore then change('#prefixes', formatInteger(prefixes)) end
  if length ~= lengthBefore then change('#length', formatInteger(length)) end
  if oldest ~= known[4] then change('#oldest', oldest) end
  if newest ~= known[5] then change('#newest', newest) end
  if own ~= ownBefore then change(prefix, formatInteger(own)) end
  if length >= wideFrom and not known[7] then change('#wide', wide) end
end

-- The latest sessions of the scope as a list of "time prefix", and how often each prefix stands in it. Answers the
-- figures of the neighborhood, and what begins with the time since when its window is.
local function advanceWindow(prefix)
  local first = formatTimestamp(now - bounds.neighborhoodMs + 1)
  if length > 0 and newest < first then
    local kept = changeCount == 0 and redis.call('HGET', scopeKey, '#bands')
    redis.call('UNLINK', listKey, scopeKey)
    squares, prefixes, length, oldest, newest, renewed, own, known = 0, 0, 0, false, false, 0, 0, { [4] = false, [5] = false }
    squaresBefore, prefixesBefore, lengthBefore, ownBefore = 0, 0, 0, 0
    if kept then change('#bands', kept) end
  end
  if within(bounds.neighborhoodMs) and admit('w' .. scope .. ';') then addToWindow(prefix) end
  while length > 0 and (oldest < first or length > bounds.neighborhoodSessionsMax) do
    dropOldest(prefix)
  end
  changeWindow(prefix)
  return { length, 0, 0, own, squares, prefixes }, length > 0 and oldest or nowText
end
