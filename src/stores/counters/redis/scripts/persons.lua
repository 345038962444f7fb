-- Where a person was counted within a day: networks and addresses of a scope, and sources whatever the scope. A person goes by the respondent, and
-- without one by the device; both remember, so that either tells. The text is "place:hour;" for each. Uses hour, within.

local function placesOf(text)
  local places = { names = {}, hours = {} }
  if not text then return places end
  for name, of in string.gmatch(text, '([^:;]+):(%d+);') do
    if tonumber(of) > hour - bounds.hoursPerDay then
      places.names[#places.names + 1] = name
      places.hours[name] = of
    end
  end
  return places
end

local function placesText(places)
  local parts = {}
  for i, name in ipairs(places.names) do
    parts[i] = name .. ':' .. places.hours[name] .. ';'
  end
  return table.concat(parts)
end

-- Notes the place. Whether it was noted within a day; of a full list no place is new.
local function visit(places, name)
  local known = places.hours[name]
  if known then return tonumber(known) < hour + bounds.hoursPerDay end
  if #places.names >= bounds.personPlacesMax then return true end
  places.names[#places.names + 1] = name
  places.hours[name] = hourText
  return false
end

-- Whether the session’s person was counted at the place already; nobody was who is not known. `people`: places of the respondent, then of the device.
local function isRepeat(people, name)
  local repeated = false
  if not within(bounds.dayMs) then return repeated end
  for i, places in ipairs(people) do
    local known = visit(places, name)
    if i == 1 then repeated = known end
  end
  return repeated
end
