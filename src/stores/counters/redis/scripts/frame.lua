-- Strings one after the other, each behind its length: binary content passes through unchanged.

local function frame(parts)
  for i = 1, #parts do
    parts[i] = struct.pack('>I4', #parts[i]) .. parts[i]
  end
  return table.concat(parts)
end

-- False stands for "not measured" in what is packed; nil would leave a hole.
local function orFalse(value)
  if value == nil or value == '' then return false end
  return value
end
