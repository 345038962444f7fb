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

-- What is asked of BITFIELD, but for where the terms lie: both are filled as far as any sketch needed them, and used again by every call.
local reads = { 'GET', 'u24', totalBefore, 'GET', 'u24', totalCell }
local sums = { 'OVERFLOW', 'SAT', 'GET', 'u24', totalBefore, 'INCRBY', 'u24', totalCell, '1' }

local function readCells(key, offsets)
  local last = 6
  for i = 1, #offsets do
    local offset = offsets[i]
    if offset ~= '' then
      if not reads[last + 1] then reads[last + 1], reads[last + 2] = 'GET', 'u24' end
      reads[last + 3] = offset
      last = last + 3
    end
  end
  return redis.call('BITFIELD', key, unpack(reads, 1, last))
end

-- Counts and reads in one: what is answered includes the session itself.
local function countCells(key, offsets)
  local last = 9
  for i = 1, #offsets do
    local offset = offsets[i]
    if offset ~= '' then
      if not sums[last + 1] then sums[last + 1], sums[last + 2], sums[last + 4] = 'INCRBY', 'u24', '1' end
      sums[last + 3] = offset
      last = last + 4
    end
  end
  local counts = redis.call('BITFIELD', key, unpack(sums, 1, last))
  if counts[2] == 1 then redis.call('PEXPIRE', key, 2 * bounds.weekMs + bounds.dayMs) end
  return counts
end

local function termRates(offsets)
  local week = math.floor(now / bounds.weekMs)
  local key, keyBefore = base .. 't:' .. spell(week), base .. 't:' .. spell(week - 1)
  local current = admit('t') and countCells(key, offsets) or not restoring and readCells(key, offsets)
  if restoring then return false end
  local before = redis.call('EXISTS', keyBefore) == 1 and readCells(keyBefore, offsets) or { 0, 0 }
  local counts, place = {}, 2
  for i = 1, #offsets do
    local known = offsets[i] ~= ''
    if known then place = place + 1 end
    counts[i] = known and current[place] + (before[place] or 0)
  end
  return { current[1] + current[2] + before[1] + before[2], counts }
end
