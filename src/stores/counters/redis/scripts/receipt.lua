-- A recorded receipt: a frame of what names its probe ("session, number of the load that the sketch is of, load,update of each page", or nothing), its content, its numbers
-- and the records of its candidates. The probe’s contents are read from where they lie, with the project.

-- Strings one after the other, each behind its length: binary content passes through unchanged.
local packedLengths = {}

local function packLength(length)
  local packed = packedLengths[length]
  if not packed then
    packed = struct.pack('>I4', length)
    if length < 1000 then packedLengths[length] = packed end
  end
  return packed
end

local function frame(parts)
  local framed, count = {}, 0
  for i = 1, #parts do
    framed[count + 1], framed[count + 2] = packLength(#parts[i]), parts[i]
    count = count + 2
  end
  return table.concat(framed)
end

-- The receipt as stored, and what its probe is made of: sketch, index and, a pair for each page, load and update.
local function readReceipt(stored)
  local length = struct.unpack('>I4', stored)
  if length == 0 then return stored end
  local of, first, numbers = string.match(string.sub(stored, 5, 4 + length), '^(%S+) (%d+) (%d+,%d.*)$')
  if not of then return stored end
  local fields = { 'k' .. first, 'x' .. first }
  for number in string.gmatch(numbers, '%d+') do
    fields[#fields + 1] = 'c' .. number
  end
  return stored, unpack(redis.call('HMGET', string.match(KEYS[1], '^%b{}:') .. 'p:' .. of, unpack(fields)))
end
