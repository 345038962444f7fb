-- Earlier sessions that may be the same person or device. Uses at, now, session.

-- What a band is worth that holds so many sessions: 840 by that number.
local bandWorths = { 840, 420, 280, 210, 168, 140, 120, 105 }

-- Of lists that hold the latest first: names and the time of each.
local function gather(found, text, oldest)
  local names, times = found.names, found.times
  for i = 1, #text, entryWidth do
    local other, stamp = entryAt(text, i)
    -- The rest is older still.
    if stamp <= oldest then return end
    local known = times[other]
    if not known then
      names[#names + 1] = other
      times[other] = stamp
    elseif stamp > known then
      times[other] = stamp
    end
  end
end

local function latest(found, picked, max)
  local names, times = found.names, found.times
  -- Whoever is given the candidates puts them in order.
  if #names > max then
    table.sort(names, function(a, b)
      if times[a] ~= times[b] then return times[a] > times[b] end
      return a < b
    end)
  end
  for _, name in ipairs(names) do
    if #picked >= max then return end
    if name ~= session then picked[#picked + 1] = name end
  end
end

-- What the bands say for each entry: a band is worth the more the fewer it holds. Answers the entries as found, and the worth of each.
local function weighEntries(bandTexts, oldest)
  local times, distinct, entries, worths = {}, {}, {}, {}
  for i = 1, #bandTexts do
    local text = bandTexts[i]
    local known = times[text]
    -- Devices of one model share most of their bands, and these then hold the same sessions.
    if not known then distinct[#distinct + 1] = text end
    times[text] = (known or 0) + 1
  end
  for d = 1, #distinct do
    local text = dropEntries(distinct[d], oldest)
    if text ~= '' then
      local worth = times[distinct[d]] * (bandWorths[#text / entryWidth] or 0)
      for i = 2, #text, entryWidth do
        local entry = string.sub(text, i, i + 28)
        local known = worths[entry]
        if not known then entries[#entries + 1] = entry end
        worths[entry] = (known or 0) + worth
      end
    end
  end
  return entries, worths
end

-- Adds those that share the rarest and most bands, of equals the latest; `via` names those that are picked already.
local function pickSimilar(bandTexts, picked, max, via)
  local entries, worths = weighEntries(bandTexts, stampOf(now - bounds.similarMs))
  local worthOf, stampsOf, names = {}, {}, {}
  for i = 1, #entries do
    local entry = entries[i]
    local name = string.sub(entry, 1, 16)
    local known = worthOf[name]
    -- A session whose device changed stands in some bands with another time.
    if known then
      worthOf[name] = known + worths[entry]
      if entry > name .. stampsOf[name] then stampsOf[name] = string.sub(entry, 17) end
    elseif name ~= session and not via[name] then
      names[#names + 1], worthOf[name], stampsOf[name] = name, worths[entry], string.sub(entry, 17)
    end
  end
  local best, count = {}, 0
  for i = 1, #names do
    local name = names[i]
    local worth, at = worthOf[name], count
    while at > 0 do
      local other = best[at]
      local than = worthOf[other]
      if worth < than then break end
      if worth == than and (stampsOf[name] < stampsOf[other] or (stampsOf[name] == stampsOf[other] and name > other)) then break end
      best[at + 1], at = other, at - 1
    end
    if at < max then best[at + 1] = name end
    if count < max then count = count + 1 else best[max + 1] = nil end
  end
  for i = 1, count do
    picked[#picked + 1] = best[i]
  end
end

-- Those that share an identifier first, then those that look alike. Answers [session, via] of each, and their records.
local function pickCandidates(respondentText, deviceText, bandTexts)
  if respondentText == '' and deviceText == '' and #bandTexts == 0 then return {}, {} end
  local exact, picked, via = { names = {}, times = {} }, {}, {}
  local oldest = stampOf(now - bounds.candidateMs)
  gather(exact, respondentText, oldest)
  local byRespondent = #exact.names
  gather(exact, deviceText, oldest)
  for i, name in ipairs(exact.names) do
    via[name] = i <= byRespondent and 'respondent' or 'device'
  end
  latest(exact, picked, bounds.candidatesMax)
  if #picked < bounds.candidatesMax and #bandTexts > 0 then pickSimilar(bandTexts, picked, math.min(bounds.similarMax, bounds.candidatesMax - #picked), via) end
  local candidates, records = {}, {}
  if #picked == 0 then return candidates, records end
  local keys = {}
  for i, name in ipairs(picked) do
    keys[i] = at .. 'k:' .. name
  end
  for i, record in ipairs(redis.call('MGET', unpack(keys))) do
    if record then
      candidates[#candidates + 1] = { picked[i], via[picked[i]] or 'similar' }
      records[#records + 1] = record
    end
  end
  return candidates, records
end
