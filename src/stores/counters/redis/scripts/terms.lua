-- How common a sketch’s terms are in the project: a count-min sketch of 24-bit cells per week in one string, this week
-- and the last read, this week written. `cells` holds two cells for each term, or two times -1 for an unknown one; the
-- sketches are counted in the cell after the last row. Uses base, now, admit.

local totalCell = 2 * bounds.termCells

-- What reads the cells, the same for every week: the last cell first, then each known one.
local function cellReads(cells)
  local reads, count = { 'GET', 'u24', '#' .. totalCell }, 3
  for i = 1, #cells do
    if cells[i] >= 0 then
      reads[count + 1], reads[count + 2], reads[count + 3] = 'GET', 'u24', '#' .. cells[i]
      count = count + 3
    end
  end
  return reads
end

local function readCells(key, cells, reads)
  local values = redis.call('BITFIELD', key, unpack(reads))
  local counts, next = { [totalCell] = values[1] }, 2
  for i = 1, #cells do
    if cells[i] >= 0 then
      counts[cells[i]] = values[next]
      next = next + 1
    end
  end
  return counts
end

local function addCells(key, cells, counts, reads)
  counts[totalCell] = math.min(bounds.termCountMax, counts[totalCell] + 1)
  local sets, count, read = { 'SET', 'u24', reads[3], counts[totalCell] }, 4, 6
  for i = 1, #cells, 2 do
    local first, second = cells[i], cells[i + 1]
    if first >= 0 then
      -- Only the smaller cell grows, which keeps strangers’ cells low.
      local grown = math.min(bounds.termCountMax, math.min(counts[first], counts[second]) + 1)
      if counts[first] < grown then
        counts[first] = grown
        sets[count + 1], sets[count + 2], sets[count + 3], sets[count + 4] = 'SET', 'u24', reads[read], grown
        count = count + 4
      end
      if counts[second] < grown then
        counts[second] = grown
        sets[count + 1], sets[count + 2], sets[count + 3], sets[count + 4] = 'SET', 'u24', reads[read + 3], grown
        count = count + 4
      end
      read = read + 6
    end
  end
  redis.call('BITFIELD', key, unpack(sets))
  if counts[totalCell] == 1 then redis.call('PEXPIRE', key, 2 * bounds.weekMs + bounds.dayMs) end
end

local function termRates(cells)
  local week = math.floor(now / bounds.weekMs)
  local key = base .. 't:' .. week
  local reads = cellReads(cells)
  local current = readCells(key, cells, reads)
  if admit('t') then addCells(key, cells, current, reads) end
  if restoring then return false end
  local keyBefore = base .. 't:' .. (week - 1)
  local before = redis.call('EXISTS', keyBefore) == 1 and readCells(keyBefore, cells, reads) or {}
  local counts = {}
  for i = 1, #cells, 2 do
    local first, second = cells[i], cells[i + 1]
    counts[#counts + 1] = first >= 0 and math.min(current[first], current[second]) + math.min(before[first] or 0, before[second] or 0)
  end
  return { current[totalCell] + (before[totalCell] or 0), counts }
end
