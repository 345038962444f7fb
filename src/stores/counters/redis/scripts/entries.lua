-- Lists of references with a stamp each, as text of fixed-width entries ";reference stamp" without the space: 16 and 13
-- characters. The latest stand first, so that finding, adding and letting go cost no walk over the list.
local entryWidth = 30

local function entryAt(text, i)
  return string.sub(text, i + 1, i + 16), string.sub(text, i + 17, i + 29)
end

local function insertEntry(text, reference, stamp)
  local i = 1
  while i <= #text and string.sub(text, i + 17, i + 29) > stamp do
    i = i + entryWidth
  end
  if i == 1 then return ';' .. reference .. stamp .. text end
  return string.sub(text, 1, i - 1) .. ';' .. reference .. stamp .. string.sub(text, i)
end

local function findEntry(text, reference)
  local from = string.find(text, ';' .. reference, 1, true)
  return from, from and string.sub(text, from + 17, from + 29)
end

local function removeEntry(text, from)
  return string.sub(text, 1, from - 1) .. string.sub(text, from + entryWidth)
end

-- Notes a member as seen at its stamp; a later one stands.
local function noteEntry(text, reference, stamp)
  local from, known = findEntry(text, reference)
  if from then
    if known >= stamp then return text end
    text = removeEntry(text, from)
  end
  return insertEntry(text, reference, stamp)
end

-- Lets go of what is stamped at or before.
local function dropEntries(text, oldest)
  local length = #text
  while length > 0 and string.sub(text, length - 12, length) <= oldest do
    length = length - entryWidth
  end
  if length == #text then return text end
  return string.sub(text, 1, length)
end

-- The text with the session noted, or unchanged where it was noted within `keepMs` before the call, or is older than all of a full list.
local function addSighting(text, keepMs, max)
  if text == '' then return ownEntry end
  local from = string.find(text, ownMark, 1, true)
  if from then
    if string.sub(text, from + 17, from + 29) + 0 > clock - keepMs then return text end
    text = removeEntry(text, from)
  end
  -- Nearly always it is the latest, and stands before all others.
  if string.sub(text, 18, 30) <= nowText then
    if #text < max * entryWidth then return ownEntry .. text end
    return ownEntry .. string.sub(text, 1, (max - 1) * entryWidth)
  end
  return string.sub(insertEntry(text, session, nowText), 1, max * entryWidth)
end
