-- How common a sketch’s terms are in the project: 24-bit cells per week in one string. Reads this week and the last, writes this week. `offsets` holds the
-- BITFIELD offset of each term's cell, or '' for an unknown term. The cell after the terms counts sketches. Uses base, now, restoring, admit.

local totalCell = '#' .. bounds.termCells

-- Arguments of BITFIELD apart from the offsets, filled as far as any sketch needed and reused by every call. The total comes last, so that the reply
-- begins with the counts.
local reads, sums, filled = {}, { 'OVERFLOW', 'SAT' }, 0

local function fillTo(cells)
  for i = filled, cells - 1 do
    reads[3 * i + 1], reads[3 * i + 2] = 'GET', 'u24'
    sums[4 * i + 3], sums[4 * i + 4], sums[4 * i + 6] = 'INCRBY', 'u24', '1'
  end
  filled = math.max(filled, cells)
end

-- Puts the offsets into such arguments, behind `last` and so far apart.
local function useCells(key, offsets, list, last, apart)
  fillTo(#offsets + 1)
  for i = 1, #offsets do
    local offset = offsets[i]
    if offset ~= '' then
      list[last + 3] = offset
      last = last + apart
    end
  end
  list[last + 3] = totalCell
  return redis.call('BITFIELD', key, unpack(list, 1, last + apart))
end

local function readCells(key, offsets)
  return useCells(key, offsets, reads, 0, 3)
end

-- Counts and reads in one call: the reply includes the session itself.
local function countCells(key, offsets)
  local counts = useCells(key, offsets, sums, 2, 4)
  if counts[#counts] == 1 then redis.call('PEXPIRE', key, 2 * bounds.weekMs + bounds.dayMs) end
  return counts
end

local function termRates(offsets)
  local week = math.floor(now / bounds.weekMs)
  local key, keyBefore = base .. 't:' .. formatInteger(week), base .. 't:' .. formatInteger(week - 1)
  local found = admit('t;') and countCells(key, offsets) or not restoring and readCells(key, offsets)
  if restoring then return false end
  local cells = #found
  if redis.call('EXISTS', keyBefore) == 1 then
    local before = readCells(keyBefore, offsets)
    for i = 1, cells do
      found[i] = found[i] + before[i]
    end
  end
  local total, known = found[cells], cells - 1
  found[cells] = nil
  if known == #offsets then return { total, found } end
  local counts, place = {}, 0
  for i = 1, #offsets do
    counts[i] = false
    if offsets[i] ~= '' then
      place = place + 1
      counts[i] = found[place]
    end
  end
  return { total, counts }
end
