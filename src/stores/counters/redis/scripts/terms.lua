-- How common a sketch’s terms are in the project: 24-bit cells per week in one string, this week and the last read, this week written. `offsets` is where the
-- cell of each term lies, as BITFIELD takes it, or '' for an unknown one. The cells lie where versions before this one have the first of two rows, which
-- counts a term at least as often; they count sketches in the cell after the second row, and this one in the next, so that each version’s shares are of
-- what it counted. Uses base, now, restoring, admit.

local totalBefore = '#' .. 2 * bounds.termCells
local totalCell = '#' .. 2 * bounds.termCells + 1

-- Of an index that a version before wrote, which holds the numbers of two cells for each term, or two times -1.
local function offsetsOf(cells)
  local offsets = {}
  for i = 1, #cells, 2 do
    offsets[#offsets + 1] = cells[i] >= 0 and '#' .. spell(cells[i]) or ''
  end
  return offsets
end

-- What is asked of BITFIELD, but for where the terms lie: filled as far as any sketch needed it, and used again by every call. The two sums come last,
-- so that what is answered begins with the counts as they are wanted.
local reads, sums, filled = {}, { 'OVERFLOW', 'SAT' }, 0
-- Where `sums` adds nothing, since the call before.
local zeroAt

local function fillTo(cells)
  for i = filled, cells - 1 do
    reads[3 * i + 1], reads[3 * i + 2] = 'GET', 'u24'
    sums[4 * i + 3], sums[4 * i + 4], sums[4 * i + 6] = 'INCRBY', 'u24', '1'
  end
  filled = math.max(filled, cells)
end

local function readCells(key, offsets)
  fillTo(#offsets + 2)
  local last = 0
  for i = 1, #offsets do
    local offset = offsets[i]
    if offset ~= '' then
      reads[last + 3] = offset
      last = last + 3
    end
  end
  reads[last + 3], reads[last + 6] = totalBefore, totalCell
  return redis.call('BITFIELD', key, unpack(reads, 1, last + 6))
end

-- Counts and reads in one: what is answered includes the session itself.
local function countCells(key, offsets)
  fillTo(#offsets + 2)
  local last = 2
  for i = 1, #offsets do
    local offset = offsets[i]
    if offset ~= '' then
      sums[last + 3] = offset
      last = last + 4
    end
  end
  -- Nothing is added to the sum of versions before.
  if zeroAt then sums[zeroAt] = '1' end
  zeroAt = last + 4
  sums[last + 3], sums[zeroAt], sums[last + 7] = totalBefore, '0', totalCell
  local counts = redis.call('BITFIELD', key, unpack(sums, 1, last + 8))
  if counts[#counts] == 1 then redis.call('PEXPIRE', key, 2 * bounds.weekMs + bounds.dayMs) end
  return counts
end

local function termRates(offsets)
  local week = math.floor(now / bounds.weekMs)
  local key, keyBefore = base .. 't:' .. spell(week), base .. 't:' .. spell(week - 1)
  local found = admit('t;') and countCells(key, offsets) or not restoring and readCells(key, offsets)
  if restoring then return false end
  local cells = #found
  if redis.call('EXISTS', keyBefore) == 1 then
    local before = readCells(keyBefore, offsets)
    for i = 1, cells do
      found[i] = found[i] + before[i]
    end
  end
  local total, known = found[cells - 1] + found[cells], cells - 2
  found[cells - 1], found[cells] = nil, nil
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
