-- Earlier sessions that may be the same person or device. Uses at, now, session.

local function gather(found, text, oldest)
  local names, times, entries = found.names, found.times, found.entries
  if #text == entryWidth then
    local other, stamp = entryAt(text, 1)
    if stamp <= oldest then return end
    local known = times[other]
    if not known then names[#names + 1] = other end
    if not known or stamp > known then times[other] = stamp end
    return
  end
  for i = 1, #text, entryWidth do
    local entry = string.sub(text, i + 1, i + 29)
    -- Sessions that look alike share most of their bands, and stand in each with the same time.
    if not entries[entry] then
      local other, stamp = string.sub(entry, 1, 16), string.sub(entry, 17)
      -- The rest is older still.
      if stamp <= oldest then return end
      entries[entry] = true
      local known = times[other]
      if not known then
        names[#names + 1] = other
        times[other] = stamp
      elseif stamp > known then
        times[other] = stamp
      end
    end
  end
end

local function latest(found, picked, max, except)
  local names, times = found.names, found.times
  -- Whoever is given the candidates puts them in order.
  if #names > max - #picked then
    table.sort(names, function(a, b)
      if times[a] ~= times[b] then return times[a] > times[b] end
      return a < b
    end)
  end
  for _, name in ipairs(names) do
    if #picked >= max then return end
    if name ~= session and not except[name] then picked[#picked + 1] = name end
  end
end

-- Those that share an identifier first, then those that look alike. Answers [session, via] of each, and their records.
local function pickCandidates(respondentText, deviceText, bandTexts)
  if respondentText == '' and deviceText == '' and #bandTexts == 0 then return {}, {} end
  local exact, similar, picked = { names = {}, times = {}, entries = {} }, { names = {}, times = {}, entries = {} }, {}
  local oldest = stampOf(now - bounds.candidateMs)
  gather(exact, respondentText, oldest)
  local byRespondent = #exact.names
  gather(exact, deviceText, oldest)
  local via = {}
  for i, name in ipairs(exact.names) do
    via[name] = i <= byRespondent and 'respondent' or 'device'
  end
  latest(exact, picked, bounds.candidatesMax, {})
  if #picked < bounds.candidatesMax and #bandTexts > 0 then
    oldest = stampOf(now - bounds.similarMs)
    local gathered = { [''] = true }
    for _, text in ipairs(bandTexts) do
      -- Devices of one model share most of their bands, and these then hold the same sessions.
      if not gathered[text] then
        gathered[text] = true
        gather(similar, text, oldest)
      end
    end
    latest(similar, picked, bounds.candidatesMax, via)
  end
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
