-- How common a sketch’s terms are in the project: a count-min sketch of 24-bit cells per week in one string, this week
-- and the last read, this week written. `cells` holds two cells for each term, or two times -1 for an unknown one; the
-- sketches are counted in the cell after the last row. Uses base, now, admit.

local totalCell = 2 * bounds.termCells

local function readCells(key, cells)
  local gets = { 'GET', 'u24', '#' .. totalCell }
  for i = 1, #cells do
    if cells[i] >= 0 then
      gets[#gets + 1] = 'GET'
      gets[#gets + 1] = 'u24'
      gets[#gets + 1] = '#' .. cells[i]
    end
  end
  local values = redis.call('BITFIELD', key, unpack(gets))
  local counts, next = { [totalCell] = values[1] }, 2
  for i = 1, #cells do
    if cells[i] >= 0 then
      counts[cells[i]] = values[next]
      next = next + 1
    end
  end
  return counts
end

local function addCells(key, cells, counts)
  counts[totalCell] = math.min(bounds.termCountMax, counts[totalCell] + 1)
  local sets = { 'SET', 'u24', '#' .. totalCell, counts[totalCell] }
  for i = 1, #cells, 2 do
    local first, second = cells[i], cells[i + 1]
    if first >= 0 then
      -- Only the smaller cell grows, which keeps strangers’ cells low.
      local grown = math.min(bounds.termCountMax, math.min(counts[first], counts[second]) + 1)
      for _, cell in ipairs({ first, second }) do
        if counts[cell] < grown then
          counts[cell] = grown
          sets[#sets + 1] = 'SET'
          sets[#sets + 1] = 'u24'
          sets[#sets + 1] = '#' .. cell
          sets[#sets + 1] = grown
        end
      end
    end
  end
  redis.call('BITFIELD', key, unpack(sets))
  if counts[totalCell] == 1 then redis.call('PEXPIRE', key, 2 * bounds.weekMs + bounds.dayMs) end
end

local function termRates(cells)
  local week = math.floor(now / bounds.weekMs)
  local key = base .. 't:' .. week
  local current = readCells(key, cells)
  if admit('t') then addCells(key, cells, current) end
  if restoring then return false end
  local keyBefore = base .. 't:' .. (week - 1)
  local before = redis.call('EXISTS', keyBefore) == 1 and readCells(keyBefore, cells) or {}
  local counts = {}
  for i = 1, #cells, 2 do
    local first, second = cells[i], cells[i + 1]
    counts[#counts + 1] = first >= 0 and math.min(current[first], current[second]) + math.min(before[first] or 0, before[second] or 0)
  end
  return { current[totalCell] + (before[totalCell] or 0), counts }
end
