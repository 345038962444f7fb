-- A recorded receipt: a frame of what names its probe ("session load update", or nothing), its content, its numbers
-- and the records of its candidates. The probe’s contents are read from where they lie, with the project.

-- Strings one after the other, each behind its length: binary content passes through unchanged.
local function frame(parts)
  local framed = {}
  for i = 1, #parts do
    framed[2 * i - 1] = struct.pack('>I4', #parts[i])
    framed[2 * i] = parts[i]
  end
  return table.concat(framed)
end

-- The receipt as stored, and the load, update, sketch and index of its probe.
local function readReceipt(stored)
  local length = struct.unpack('>I4', stored)
  if length == 0 then return stored end
  local of, load, update = string.match(string.sub(stored, 5, 4 + length), '^(%S+) (%d*) (%d*)$')
  local key = string.match(KEYS[1], '^%b{}:') .. 'p:' .. of
  local p = redis.call('HMGET', key, 'cl', 'cu', 'l', 'u', 'k', 'x', 'l' .. load, 'u' .. update, 'k' .. load, 'x' .. load)
  local isCurrent = p[1] == load
  return stored, load ~= '' and (isCurrent and p[3] or p[7]), update ~= '' and (p[2] == update and p[4] or p[8]),
    load ~= '' and (isCurrent and p[5] or p[9]), load ~= '' and (isCurrent and p[6] or p[10])
end
