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

-- The strings that make one, in order, of the call at hand.
local pieces = {}
local piecesRoom = 32

local function addPiece(count, text)
  pieces[count + 1], pieces[count + 2] = packLength(#text), text
  return count + 2
end

-- The server hashes every byte of every string of Lua, and table.concat makes several on its way: so one expression joins what is usual.
local function joinPieces(count)
  if count > piecesRoom then return table.concat(pieces, '', 1, count) end
  for i = count + 1, piecesRoom do
    pieces[i] = ''
  end
  local p = pieces
  return p[1] .. p[2] .. p[3] .. p[4] .. p[5] .. p[6] .. p[7] .. p[8] .. p[9] .. p[10] .. p[11] .. p[12] .. p[13] .. p[14] .. p[15] .. p[16]
    .. p[17] .. p[18] .. p[19] .. p[20] .. p[21] .. p[22] .. p[23] .. p[24] .. p[25] .. p[26] .. p[27] .. p[28] .. p[29] .. p[30] .. p[31] .. p[32]
end

-- A receipt as it is stored.
local function joinReceipt(named, content, numbers, records)
  local count = addPiece(addPiece(addPiece(0, named), content), numbers)
  for i = 1, #records do
    count = addPiece(count, records[i])
  end
  return joinPieces(count)
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
