-- Counts one session in everything that counts sessions. `s` is the session; `read` holds the values of the keys that
-- `wantSession` names, in order. Answers figures, neighborhood, candidates and their records, source and terms; of a restored session nothing.

-- The keys that are read at once, how many, and the place of each; nil where it is not wanted. Places of a person follow those of the device and of the respondent.
-- With its room from the start: a table that grows is copied each time.
local keys = { false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false }
local wanted
local guardAt, recordAt, addressAt, prefixAt, deviceAt, respondentAt, sharedAt, hostAt, linkAt, tokenAt

local function want(key)
  wanted = wanted + 1
  keys[wanted] = key
  return wanted
end

local function wantSession(s)
  wanted = 0
  deviceAt, respondentAt, sharedAt, hostAt, linkAt, tokenAt = nil, nil, nil, nil, nil, nil
  guardAt, recordAt = want(base .. 's:' .. session), want(at .. 'k:' .. session)
  addressAt, prefixAt = want(at .. 'a:' .. s.address), want(at .. 'f:' .. s.prefix)
  if s.device ~= '' then
    deviceAt = want(at .. 'e:D' .. s.device)
    want(base .. 'v:D' .. s.device)
  end
  if s.token ~= '' and s.token ~= s.device then tokenAt = want(at .. 'e:D' .. s.token) end
  if s.respondent ~= '' then
    respondentAt = want(at .. 'e:R' .. s.respondent)
    want(base .. 'v:R' .. s.respondent)
  end
  -- Only of an address that strangers share is it worth knowing what it usually sends.
  if s.shared then sharedAt = want(at .. 'f:' .. s.address) end
  if s.host ~= '' then hostAt = want(at .. 'a:' .. s.host) end
  if not s.shared and s.deviceClass ~= '' then
    s.addressLink = 'A' .. s.address .. '/' .. s.deviceClass
    linkAt = want(at .. 'e:' .. s.addressLink)
  end
end

local function readAll()
  return redis.call('MGET', unpack(keys, 1, wanted))
end

-- Lifetimes as texts: there are a few.
local lifetimes = {}

local function writeIfNew(key, text, before, keepMs)
  if text == before then return end
  local lifetime = lifetimes[keepMs]
  if not lifetime then
    lifetime = formatInteger(keepMs)
    lifetimes[keepMs] = lifetime
  end
  redis.call('SET', key, text, 'PX', lifetime)
end

-- A device or a respondent: sessions by the hour, distinct members, sightings. Answers the counts, and the sightings before.
local function countIdentity(key, before, label, member, windowMs)
  local buckets, members, sightings = splitSections(before)
  local sessions, distinct
  buckets, sessions = perHour(buckets, within(bounds.dayMs) and admit(label))
  members, distinct = seen(members, member, windowMs)
  local joined = within(bounds.candidateMs) and addSighting(sightings, bounds.candidateMs, bounds.linkMembersMax) or sightings
  local text = buckets .. '|' .. members .. '|' .. joined
  if text ~= '||' then writeIfNew(key, text, before, bounds.candidateMs) end
  -- Nobody counted is nothing measured.
  return sessions, distinct > 0 and distinct, sightings, joined
end

-- A link of sightings alone: a token next to a deviceHash, of which nothing is counted, or an address.
local function linkOnly(key, before, text, head, keepMs)
  if not within(keepMs) then return text end
  local joined = addSighting(text, keepMs, bounds.linkMembersMax)
  writeIfNew(key, head .. joined, before, keepMs)
  return joined
end

local function countAddress(key, before, s, address)
  if not within(bounds.hourMs) then return false, false, 0 end
  local buckets, devices, respondents = splitSections(before)
  local sessions, deviceCount, respondentCount
  devices, deviceCount = seenBySlot(devices, 'ad', address, s.device)
  respondents, respondentCount = seenBySlot(respondents, 'ar', address, s.respondent)
  buckets, sessions = perSlot(buckets, admit('a' .. scope .. address .. ';'))
  writeIfNew(key, buckets .. '|' .. devices .. '|' .. respondents, before, 2 * bounds.hourMs)
  return deviceCount > 0 and deviceCount, respondentCount > 0 and respondentCount, sessions
end

-- People on a network, or on an address that strangers share, by the hour and the day. `place` names it among those where a person was counted.
local function countPeople(key, before, place, people)
  local slots, hours = splitSections(before)
  local repeated = isRepeat(people, place)
  local add, inHour, inDay = within(bounds.dayMs) and admit(place .. ';') and not repeated, nil, nil
  slots, inHour = perSlot(slots, add)
  hours, inDay = perHour(hours, add)
  if add then writeIfNew(key, slots .. '|' .. hours .. '|', before, 2 * bounds.dayMs) end
  return inHour, inDay
end

-- Most people on one IPv6 address, which one device has, within an hour.
local function countHost(s, read)
  if not hostAt then return false end
  local devices, respondents = countAddress(keys[hostAt], read[hostAt], s, s.host)
  return (devices or respondents) and math.max(devices or 0, respondents or 0)
end

local function countSession(s, read)
  local hasDevice, hasRespondent, hasSketch = s.device ~= '', s.respondent ~= '', s.sketch ~= ''
  local own, links = {}, {}
  local deviceSessions, deviceRespondents, deviceBefore, respondentSessions, respondentDevices, respondentBefore = false, false, '', false, false, ''
  if hasDevice then
    local link, joined = 'D' .. s.device, nil
    deviceSessions, deviceRespondents, deviceBefore, joined = countIdentity(keys[deviceAt], read[deviceAt], 'd' .. scope .. s.device .. ';', s.respondent, bounds.dayMs)
    own[#own + 1], links[link] = link, joined
  end
  local tokenBefore, addressBefore = '', linkAt and read[linkAt] or ''
  if tokenAt then
    local link, buckets, members = 'D' .. s.token, nil, nil
    buckets, members, tokenBefore = splitSections(read[tokenAt])
    own[#own + 1], links[link] = link, linkOnly(keys[tokenAt], read[tokenAt], tokenBefore, buckets .. '|' .. members .. '|', bounds.candidateMs)
  end
  if hasRespondent then
    local link, joined = 'R' .. s.respondent, nil
    respondentSessions, respondentDevices, respondentBefore, joined = countIdentity(keys[respondentAt], read[respondentAt], 'r' .. scope .. s.respondent .. ';', s.device, bounds.weekMs)
    own[#own + 1], links[link] = link, joined
  end
  if s.addressLink and within(bounds.addressMs) then
    own[#own + 1], links[s.addressLink] = s.addressLink, linkOnly(keys[linkAt], addressBefore, addressBefore, '', bounds.addressMs)
  end
  local devices, respondents, sessions = countAddress(keys[addressAt], read[addressAt], s, s.address)
  -- A person’s own repeats within a day are no burst.
  local people = {}
  if hasRespondent then people[1] = placesOf(read[respondentAt + 1]) end
  if hasDevice then people[#people + 1] = placesOf(read[deviceAt + 1]) end
  local inHour, inDay = countPeople(keys[prefixAt], read[prefixAt], 'p' .. scope .. s.prefix, people)
  local sharedHour, sharedDay = false, false
  if s.shared then sharedHour, sharedDay = countPeople(keys[sharedAt], read[sharedAt], 'n' .. scope .. s.address, people) end
  local source, terms = sourceRate(s.source, people), hasSketch and within(2 * bounds.weekMs) and termRates(s.offsets)
  -- In the order of figures.ts.
  local figures = {
    deviceSessions, deviceRespondents, respondentSessions, respondentDevices, devices, respondents, sessions, inHour, inDay, sharedHour, sharedDay, countHost(s, read),
  }
  if within(bounds.dayMs) then
    if hasDevice then writeIfNew(keys[deviceAt + 1], people[#people].text, read[deviceAt + 1] or '', bounds.personMs) end
    if hasRespondent then writeIfNew(keys[respondentAt + 1], people[1].text, read[respondentAt + 1] or '', bounds.personMs) end
  end

  local seen, shares = exchangeBands(s.bands, readScope(s.prefix, #s.bands > 0))
  local candidates, records = {}, {}
  if not restoring then candidates, records = pickCandidates({ respondent = respondentBefore, device = deviceBefore, token = tokenBefore, address = addressBefore }, seen, shares) end
  local findable = hasDevice or hasRespondent or tokenAt or s.addressLink or (#s.bands > 0 and within(bounds.similarMs))
  local node = joinLinks(read[recordAt], own)
  if within(bounds.candidateMs) and (findable or #own > 0) then writeRecord(read[recordAt], s, findable, node, #own > 0) end
  local neighborhood, since = advanceWindow(s.prefix)
  if not restoring then
    local recordOf = {}
    for i = 1, #candidates do
      recordOf[candidates[i][1]] = records[i]
    end
    neighborhood[2], neighborhood[3] = walkGraph({ [session] = node }, recordOf, links, since)
  end
  writeScope()
  return figures, neighborhood, candidates, records, source, terms
end
