-- Sessions of a scope by the bands of their sketches: under each a text of 14 bytes for each session, the latest first. The first seven are the number that
-- 13 digits of its reference formatInteger, the others its time since an epoch times 4096 with the last three: two numbers that Lua holds exactly, so that a text is
-- taken apart by one call, and entries are compared and found without strings. The first number stands for the session: by chance alone two that meet share one
-- in one of 10^11 counts, and weigh as one then. Uses at, now, session, clock, within, change.

local bandEntry, bandTail = 14, 4096
-- The session at hand in these numbers, and its entry.
local ownHigh, ownLow, ownInBand

local unpacking = {}

-- Two numbers for each entry, and one more that means nothing.
local function numbersOf(text)
  local format = unpacking[#text]
  if not format then
    format = '>' .. string.rep('I7I7', #text / bandEntry)
    unpacking[#text] = format
  end
  return { struct.unpack(format, text) }
end

local function referenceAt(high, low)
  return string.format('%013x%03x', high, low % bandTail)
end

local function highOf(reference)
  return tonumber(string.sub(reference, 1, 13), 16)
end

-- The least second number of whatever was seen at that time.
local function lowOf(ms)
  return (ms - bounds.bandEpochMs) * bandTail
end

local function nameOwn()
  ownHigh, ownLow = highOf(session), lowOf(now) + tonumber(string.sub(session, 14), 16)
  ownInBand = struct.pack('>I7I7', ownHigh, ownLow)
end

local function without(text, place)
  return string.sub(text, 1, place * bandEntry) .. string.sub(text, (place + 1) * bandEntry + 1)
end

-- The text of these numbers with the session noted, or unchanged where it was noted within their time before the call, or is older than all of a full list.
local function noteInBand(text, numbers)
  local last = #numbers - 1
  for i = 1, last, 2 do
    if numbers[i] == ownHigh then
      if numbers[i + 1] >= lowOf(clock - bounds.similarMs + 1) then return text end
      local rest = without(text, (i - 1) / 2)
      if rest == '' then return ownInBand end
      return noteInBand(rest, numbersOf(rest))
    end
  end
  -- Nearly always it is the latest, and stands before all others.
  local later, afterNow = 0, lowOf(now + 1)
  while 2 * later < last and numbers[2 * later + 2] >= afterNow do
    later = later + 1
  end
  local most = bounds.bandSessionsMax * bandEntry
  if later == 0 then
    if #text < most then return ownInBand .. text end
    return ownInBand .. string.sub(text, 1, most - bandEntry)
  end
  local from = later * bandEntry
  return string.sub(string.sub(text, 1, from) .. ownInBand .. string.sub(text, from + 1), 1, most)
end

-- Two generations of a hash from band to entries: the current one is written, and takes over what it touches of the one before. A generation ends after a day or
-- when it is full; the one before it is dropped then. Its figures, "number began sessions", stand among those of the scope.
local function textsOf(generation, bands)
  local texts = redis.call('HMGET', at .. 'y' .. formatInteger(generation), unpack(bands))
  if generation == 0 then return texts end
  local missing, places, missed = {}, {}, 0
  for i = 1, #bands do
    if not texts[i] then
      missed = missed + 1
      missing[missed], places[missed] = bands[i], i
    end
  end
  if missed > 0 then
    local earlier = redis.call('HMGET', at .. 'y' .. formatInteger(generation - 1), unpack(missing, 1, missed))
    for i = 1, missed do
      texts[places[i]] = earlier[i]
    end
  end
  return texts
end

-- Notes the session under each band. Returns the previous texts without repeats: the numbers of each, and how many bands have it.
local function exchangeBands(bands, figures)
  local seen, shares, seenCount = {}, {}, 0
  if #bands == 0 or not within(bounds.similarMs) then return seen, shares end
  nameOwn()
  local generation, began, banded = string.match(figures or '', '^(%d+) (%d+) (%d+)$')
  generation, began, banded = tonumber(generation or 0), tonumber(began or now), tonumber(banded or 0)
  if banded >= bounds.bandGenerationSessions or now - began >= bounds.similarMs then
    redis.call('UNLINK', at .. 'y' .. (generation - 1))
    generation, began, banded = generation + 1, now, 0
  end
  local texts = textsOf(generation, bands)
  -- Devices of one model share most of their bands, which then hold the same sessions.
  local writes, count, joined, placeOf = {}, 0, {}, {}
  for i = 1, #bands do
    local text, joint = texts[i], ownInBand
    if text then
      local place = placeOf[text]
      if place then
        joint, shares[place] = joined[place], shares[place] + 1
      else
        local numbers = numbersOf(text)
        joint, seenCount = noteInBand(text, numbers), seenCount + 1
        placeOf[text], joined[seenCount], seen[seenCount], shares[seenCount] = seenCount, joint, numbers, 1
      end
    end
    if joint ~= text then
      writes[count + 1], writes[count + 2] = bands[i], joint
      count = count + 2
    end
  end
  if count > 0 then
    local key = at .. 'y' .. formatInteger(generation)
    redis.call('HSET', key, unpack(writes, 1, count))
    -- A generation is written for a day at most, and read for one more after it.
    if banded == 0 then redis.call('PEXPIRE', key, 3 * bounds.similarMs) end
    change('#bands', formatInteger(generation) .. ' ' .. formatTimestamp(began) .. ' ' .. formatInteger(banded + 1))
  end
  return seen, shares
end
