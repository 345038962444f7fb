-- What a scope has of its own: the latest sessions with their prefixes, and its sessions by band. One hash holds the
-- figures of both, read and written once a call; # begins what is not a prefix. Uses at, now, nowText, session, scope,
-- restoring, within, admit.

local scopeKey, listKey
-- The figures of the window, of which `own` counts the sessions of the session's prefix, and those of the bands. As texts where they are compared only.
local squares, prefixes, length, oldest, newest, renewed, own
local squaresBefore, prefixesBefore, lengthBefore, ownBefore
local generation, began, banded
-- A small hash is searched from end to end, also for what stands in front of its prefixes. One value that is longer than those of small hashes may be makes a
-- large one of it, which the server looks into by name.
local wideFrom, wide = 128, '.................................................................'
-- What is to be written: names and values.
local changes, changeCount, known

-- The figures of bands are asked for where there are bands: a field that a small hash has not is looked for in all of it.
local function readScope(prefix, hasBands)
  scopeKey, listKey, changes, changeCount = at .. 'w', at .. 'r', {}, 0
  if hasBands then
    known = redis.call('HMGET', scopeKey, '#squares', '#prefixes', '#length', '#oldest', '#newest', '#renewed', '#wide', prefix, '#generation', '#began', '#sessions')
    generation, began, banded = tonumber(known[9] or 0), tonumber(known[10] or now), tonumber(known[11] or 0)
  else
    known = redis.call('HMGET', scopeKey, '#squares', '#prefixes', '#length', '#oldest', '#newest', '#renewed', '#wide', prefix)
  end
  squares, prefixes, length = (known[1] or 0) + 0, (known[2] or 0) + 0, (known[3] or 0) + 0
  oldest, newest, renewed, own = known[4], known[5], (known[6] or 0) + 0, (known[8] or 0) + 0
  squaresBefore, prefixesBefore, lengthBefore, ownBefore = squares, prefixes, length, own
end

local function change(name, value)
  changes[changeCount + 1], changes[changeCount + 2] = name, value
  changeCount = changeCount + 2
end

-- Of the first two only what differs from `before`.
local function changeBands(before)
  if generation ~= tonumber(before[9] or -1) then change('#generation', spell(generation)) end
  if began ~= tonumber(before[10] or -1) then change('#began', stampOf(began)) end
  change('#sessions', spell(banded))
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

-- Two generations of a hash from band to sightings: the current one is written, and takes over what it touches of the
-- one before. A generation ends after a day or when it is full; the one before it is dropped then.
local function exchangeBands(bands)
  if #bands == 0 or not within(bounds.similarMs) then return {} end
  if banded >= bounds.bandGenerationSessions or now - began >= bounds.similarMs then
    redis.call('UNLINK', at .. 'x' .. (generation - 1))
    generation, began, banded = generation + 1, now, 0
  end
  local key = at .. 'x' .. generation
  local texts = redis.call('HMGET', key, unpack(bands))
  local missing, places, missed = {}, {}, 0
  for i = 1, #bands do
    if not texts[i] then
      texts[i] = ''
      if generation > 0 then
        missed = missed + 1
        missing[missed], places[missed] = bands[i], i
      end
    end
  end
  if missed > 0 then
    local earlier = redis.call('HMGET', at .. 'x' .. (generation - 1), unpack(missing, 1, missed))
    for i = 1, missed do
      texts[places[i]] = earlier[i] or ''
    end
  end
  -- Devices of one model share most of their bands, which then hold the same sessions.
  local writes, count, joined = {}, 0, { [''] = ownEntry }
  for i = 1, #bands do
    local text = texts[i]
    local joint = joined[text]
    if not joint then
      joint = addSighting(text, bounds.similarMs, bounds.bandSessionsMax)
      joined[text] = joint
    end
    if joint ~= text then
      writes[count + 1], writes[count + 2] = bands[i], joint
      count = count + 2
    end
  end
  if count > 0 then
    redis.call('HSET', key, unpack(writes, 1, count))
    -- A generation is written for a day at most, and read for one more after it.
    if banded == 0 then redis.call('PEXPIRE', key, 3 * bounds.similarMs) end
    banded = banded + 1
    changeBands(known)
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

-- What the window came to.
local function changeWindow(prefix)
  if squares ~= squaresBefore then change('#squares', spell(squares)) end
  if prefixes ~= prefixesBefore then change('#prefixes', spell(prefixes)) end
  if length ~= lengthBefore then change('#length', spell(length)) end
  if oldest ~= known[4] then change('#oldest', oldest) end
  if newest ~= known[5] then change('#newest', newest) end
  if own ~= ownBefore then change(prefix, spell(own)) end
  if length >= wideFrom and not known[7] then change('#wide', wide) end
end

-- The latest sessions of the scope as a list of "time prefix", and how often each prefix stands in it. Answers the
-- figures of the neighborhood, and what begins with the time since when its window is.
local function advanceWindow(prefix)
  local first = stampOf(now - bounds.neighborhoodMs + 1)
  if length > 0 and newest < first then
    local kept = changeCount == 0 and redis.call('HMGET', scopeKey, '#generation', '#began', '#sessions')
    redis.call('UNLINK', listKey, scopeKey)
    squares, prefixes, length, oldest, newest, renewed, own, known = 0, 0, 0, false, false, 0, 0, { [4] = false, [5] = false }
    squaresBefore, prefixesBefore, lengthBefore, ownBefore = 0, 0, 0, 0
    if changeCount > 0 then
      changeBands({})
    elseif kept and kept[1] then
      change('#generation', kept[1])
      change('#began', kept[2])
      change('#sessions', kept[3])
    end
  end
  if within(bounds.neighborhoodMs) and admit('w' .. scope .. ';') then addToWindow(prefix) end
  while length > 0 and (oldest < first or length > bounds.neighborhoodSessionsMax) do
    dropOldest(prefix)
  end
  changeWindow(prefix)
  return { length, 0, 0, own, squares, prefixes }, length > 0 and oldest or nowText
end
