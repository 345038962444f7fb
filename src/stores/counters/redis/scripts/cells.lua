-- Cells of a table, 24 bits each, named by two bytes each, the last one of which counts all calls.

-- Arguments of BITFIELD apart from the cells, filled as far as any call needed and reused by every call.
local reads, sums, filled, places = {}, { 'OVERFLOW', 'SAT' }, 0, {}

local function putCells(cells, list, first, apart)
  for i = filled + 1, #cells / 2 do
    reads[3 * i - 2], reads[3 * i - 1] = 'GET', 'u24'
    sums[4 * i - 1], sums[4 * i], sums[4 * i + 2] = 'INCRBY', 'u24', '1'
    filled = i
  end
  for i = 1, #cells / 2 do
    local high, low = string.byte(cells, 2 * i - 1, 2 * i)
    local cell = high * 256 + low
    local place = places[cell]
    if not place then
      place = string.format('#%d', cell)
      places[cell] = place
    end
    list[first + apart * (i - 1)] = place
  end
end

local function readCells(key, cells)
  putCells(cells, reads, 3, 3)
  return redis.call('BITFIELD', key, unpack(reads, 1, 3 * #cells / 2))
end

-- One more in each. The table is kept from its first count on.
local function addCells(key, cells, keep)
  putCells(cells, sums, 5, 4)
  local counts = redis.call('BITFIELD', key, unpack(sums, 1, 2 + 4 * #cells / 2))
  if counts[#counts] == 1 then redis.call('PEXPIRE', key, keep) end
end
