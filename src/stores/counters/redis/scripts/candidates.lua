-- Earlier sessions that may be the same person or device. Uses at, now, session, and the numbers of bands.

-- The worth of a band by the number of its sessions: 840 divided by that number.
local bandWorths = { 840, 420, 280, 210, 168, 140, 120, 105 }

-- Reads lists that begin with the latest: names and the time of each.
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

-- A session scores the worth of its bands, and below that the time when it was seen last, in milliseconds since four years before the call. Exact in one number.
local worthUnit, timeRoom = 2 ^ 38, 2 ^ 37

-- Scores each session by its bands: a band is worth the more the fewer it holds. Returns the sessions as found, the score of each, and its second number.
local function weighSeen(seen, shares)
  local names, scores, lows, count = {}, {}, {}, 0
  local oldest, base = lowOf(now - bounds.similarMs + 1), lowOf(now - timeRoom)
  for place = 1, #seen do
    local numbers = seen[place]
    local last = #numbers - 1
    while last > 0 and numbers[last] < oldest do
      last = last - 2
    end
    local worth = shares[place] * (bandWorths[last / 2] or 0) * worthUnit
    for i = 1, last, 2 do
      local name, low = numbers[i], numbers[i + 1]
      local known = scores[name]
      if not known then
        count = count + 1
        names[count], scores[name], lows[name] = name, worth + (low - low % bandTail - base) / bandTail, low
      elseif low > lows[name] then
        -- A session whose device changed stands in some bands with another time.
        scores[name], lows[name] = known + worth + (low - lows[name]) / bandTail, low
      else
        scores[name] = known + worth
      end
    end
  end
  return names, scores, lows
end

-- Adds those that share the rarest and most bands, of equals the latest; `via` names those that are picked already.
local function pickSimilar(seen, shares, picked, max, via)
  local names, scores, lows = weighSeen(seen, shares)
  local passed = { [ownHigh] = true }
  for name in pairs(via) do
    passed[highOf(name)] = true
  end
  local best, bestScores, count, least = {}, {}, 0, 0
  for i = 1, #names do
    local name = names[i]
    local score = scores[name]
    if score >= least and not passed[name] then
      local at = count
      while at > 0 and (bestScores[at] < score or (bestScores[at] == score and best[at] > name)) do
        best[at + 1], bestScores[at + 1], at = best[at], bestScores[at], at - 1
      end
      best[at + 1], bestScores[at + 1] = name, score
      if count < max then count = count + 1 else least = bestScores[max] end
    end
  end
  for i = 1, count do
    picked[#picked + 1] = referenceAt(best[i], lows[best[i]])
  end
end

-- Adds the latest from the same address.
local function pickNear(text, picked, via)
  local most, oldest = math.min(bounds.candidatesMax, #picked + bounds.addressMax), formatTimestamp(now - bounds.addressMs)
  for i = 1, #text, entryWidth do
    local other, stamp = entryAt(text, i)
    if stamp <= oldest or #picked >= most then return end
    if other ~= session and not via[other] then
      picked[#picked + 1], via[other] = other, 'address'
    end
  end
end

-- `texts` of those with the same respondent, device, token and address. Those that share an identifier first, then those at the address, then those that
-- look alike. Answers [session, via] of each, and their records.
local function pickCandidates(texts, seen, shares)
  if texts.respondent == '' and texts.device == '' and texts.token == '' and texts.address == '' and #seen == 0 then return {}, {} end
  local exact, picked, via = { names = {}, times = {} }, {}, {}
  local oldest, done = formatTimestamp(now - bounds.candidateMs), 0
  for _, kind in ipairs({ 'respondent', 'device', 'token' }) do
    gather(exact, texts[kind], oldest)
    for i = done + 1, #exact.names do
      via[exact.names[i]] = kind
    end
    done = #exact.names
  end
  latest(exact, picked, bounds.candidatesMax)
  pickNear(texts.address, picked, via)
  if #picked < bounds.candidatesMax and #seen > 0 then pickSimilar(seen, shares, picked, math.min(bounds.similarMax, bounds.candidatesMax - #picked), via) end
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
