-- How common a sketch’s terms are in the project: a count-min sketch of 24-bit cells per week in one string, this week
-- and the last read, this week written. `cells` holds two cells for each term, or two times -1 for an unknown one; the
-- sketches are counted in the cell after the last row. Uses base, now, admit.

local totalCell = 2 * bounds.termCells

-- Where each cell stands in what is read, behind the last cell and each once; and what reads them, the same for every week.
local function placeCells(cells)
  local places, place, reads = {}, 1, { 'GET', 'u24', spell(totalCell * 24) }
  for i = 1, #cells do
    local cell = cells[i]
    if cell >= 0 and not places[cell] then
      place = place + 1
      places[cell] = place
      local at = 3 * place
      reads[at - 2], reads[at - 1], reads[at] = 'GET', 'u24', spell(cell * 24)
    end
  end
  return places, reads
end

local function addCells(key, cells, counts, places, reads)
  counts[1] = math.min(bounds.termCountMax, counts[1] + 1)
  local sets, count = { 'SET', 'u24', reads[3], spell(counts[1]) }, 4
  for i = 1, #cells, 2 do
    local one, other = places[cells[i]], places[cells[i + 1]]
    if one then
      -- Only the smaller cell grows, which keeps strangers’ cells low.
      local grown = math.min(bounds.termCountMax, math.min(counts[one], counts[other]) + 1)
      local spelt = spell(grown)
      if counts[one] < grown then
        counts[one] = grown
        sets[count + 1], sets[count + 2], sets[count + 3], sets[count + 4] = 'SET', 'u24', reads[3 * one], spelt
        count = count + 4
      end
      if counts[other] < grown then
        counts[other] = grown
        sets[count + 1], sets[count + 2], sets[count + 3], sets[count + 4] = 'SET', 'u24', reads[3 * other], spelt
        count = count + 4
      end
    end
  end
  redis.call('BITFIELD', key, unpack(sets))
  if counts[1] == 1 then redis.call('PEXPIRE', key, 2 * bounds.weekMs + bounds.dayMs) end
end

local function termRates(cells)
  local week = math.floor(now / bounds.weekMs)
  local key = base .. 't:' .. week
  local places, reads = placeCells(cells)
  local current = redis.call('BITFIELD', key, unpack(reads))
  if admit('t') then addCells(key, cells, current, places, reads) end
  if restoring then return false end
  local keyBefore = base .. 't:' .. (week - 1)
  local before = redis.call('EXISTS', keyBefore) == 1 and redis.call('BITFIELD', keyBefore, unpack(reads)) or {}
  local counts = {}
  for i = 1, #cells, 2 do
    local one, other = places[cells[i]], places[cells[i + 1]]
    counts[#counts + 1] = one and math.min(current[one], current[other]) + math.min(before[one] or 0, before[other] or 0) or false
  end
  return { current[1] + (before[1] or 0), counts }
end
