-- Places that counted a person within a day: networks and addresses of a scope, and sources in any scope. A person goes by the respondent, and
-- without one by the device; both are written, so that either is found. The text is "place:hour;" for each. Uses hour, within.

-- The text with the places that are older left out, how many stay, and the hour of each by its name.
local function placesOf(text)
  local places = { text = text or '', count = 0, hours = {} }
  if not text then return places end
  local kept, all = {}, true
  for name, of in string.gmatch(text, '([^:;]+):(%d+);') do
    if of + 0 > hour - bounds.hoursPerDay then
      kept[#kept + 1] = name .. ':' .. of .. ';'
      places.hours[name] = of
    else
      all = false
    end
  end
  places.count = #kept
  if not all then places.text = table.concat(kept) end
  return places
end

-- Notes the place. Whether it was noted within a day; of a full list no place is new.
local function visit(places, name)
  local known = places.hours[name]
  if known then return known + 0 < hour + bounds.hoursPerDay end
  if places.count >= bounds.personPlacesMax then return true end
  places.text, places.count = places.text .. name .. ':' .. hourText .. ';', places.count + 1
  places.hours[name] = hourText
  return false
end

-- Whether the session’s person was counted at the place already; nobody was who is not known. `people`: places of the respondent, then of the device.
local function isRepeat(people, name)
  local repeated = false
  if not within(bounds.dayMs) then return repeated end
  for i = 1, #people do
    local known = visit(people[i], name)
    if i == 1 then repeated = known end
  end
  return repeated
end
