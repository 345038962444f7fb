-- What ties a session to others of its scope: ties are D<device>, R<respondent> and A<address>/<class>. The record of a
-- session is "first scored|respondent|device|prefix,token,address|last tied|ties, a line each|sketch"; a shared address is left out. Uses at, now, nowText, clock, guard, within.

local function sightingsOf(tie, text)
  if not text then return '' end
  if string.sub(tie, 1, 1) == 'A' then return text end
  return string.match(text, '^[^|]*|[^|]*|(.*)$')
end

-- The ties of a session that was tied within a day before the call: what has expired by then does not come back, wherever
-- the time of a session lies that is restored.
local function tiesOf(record)
  local ties = {}
  if not record then return ties end
  local scored, lines = string.match(record, '^[^|]*|[^|]*|[^|]*|[^|]*|(%d+)|([^|]*)|')
  if clock - scored < bounds.dayMs then
    for tie in string.gmatch(lines, '[^\n]+') do
      ties[#ties + 1] = tie
    end
  end
  return ties
end

-- The part of a tie's text that holds members seen after then; nothing of a hub.
local function membersAfter(text, oldest)
  text = dropEntries(text, oldest)
  return #text > bounds.hubMembers * entryWidth and '' or text
end

-- Whether the session is the only one that was ever seen at each of its ties; a tie that was not read may hold others.
local function isAlone(node, ties)
  for _, tie in ipairs(node) do
    if not ties[tie] or #ties[tie] > entryWidth then return false end
  end
  return true
end

-- Breadth first from this session. `nodes` (session -> list of ties), `records` (session -> record) and `ties` (tie -> sightings) hold what was
-- read already; the rest is read one level at a time.
local function walkGraph(nodes, records, ties, since)
  if isAlone(nodes[session], ties) then return 0, 0 end
  local oldest = stampOf(tonumber(string.sub(since, 1, 13)) - 1)
  local visited, count, crossed, members = { [session] = true }, 0, {}, {}
  local frontier, direct = { session }, nil
  while #frontier > 0 do
    local nodeKeys, unread = {}, {}
    for _, node in ipairs(frontier) do
      if records[node] then nodes[node] = tiesOf(records[node]) end
      if not nodes[node] then
        unread[#unread + 1] = node
        nodeKeys[#nodeKeys + 1] = at .. 'k:' .. node
      end
    end
    if #unread > 0 then
      for i, record in ipairs(redis.call('MGET', unpack(nodeKeys))) do
        nodes[unread[i]] = tiesOf(record)
      end
    end
    local tieKeys, missing = {}, {}
    for _, node in ipairs(frontier) do
      for _, tie in ipairs(nodes[node]) do
        if not ties[tie] then
          ties[tie] = ''
          missing[#missing + 1] = tie
          tieKeys[#tieKeys + 1] = at .. 'e:' .. tie
        end
      end
    end
    -- In portions: Lua’s stack bounds how many arguments a call may have.
    for start = 1, #missing, 200 do
      for i, text in ipairs(redis.call('MGET', unpack(tieKeys, start, math.min(start + 199, #missing)))) do
        local tie = missing[start + i - 1]
        ties[tie] = sightingsOf(tie, text)
      end
    end
    local found = {}
    for _, node in ipairs(frontier) do
      for _, tie in ipairs(nodes[node]) do
        local byTime = string.sub(tie, 1, 1) == 'A'
        if byTime or not crossed[tie] then
          crossed[tie] = true
          local text = members[tie]
          if not text then
            text = membersAfter(ties[tie], oldest)
            members[tie] = text
          end
          local own
          if byTime then
            local _, stamp = findEntry(ties[tie], node)
            own = tonumber(stamp)
            if not own then text = '' end
          end
          for i = 1, #text, entryWidth do
            local other = string.sub(text, i + 1, i + 16)
            local near = not byTime or math.abs(tonumber(string.sub(text, i + 17, i + 29)) - own) <= bounds.addressTieMs
            if near and not visited[other] and count < bounds.visitedMax then
              visited[other] = true
              count = count + 1
              found[#found + 1] = other
            end
          end
        end
      end
    end
    direct = direct or #found
    frontier = count < bounds.visitedMax and found or {}
  end
  return direct or 0, count - (direct or 0)
end

-- The session’s ties with those of this call among them.
local function joinTies(record, own)
  local node, known = tiesOf(record), {}
  for i = 1, #node do
    known[node[i]] = true
  end
  for i = 1, #own do
    local tie = own[i]
    if not known[tie] and #node < bounds.tiesMax then node[#node + 1] = tie end
  end
  return node
end

-- A session without any identifier cannot be found, and has no time of first scoring here: what an earlier call said of
-- it stands then. So does what a later call said, before a session that is restored.
local function writeRecord(record, s, findable, node, tied)
  local first, scored, head, sketch = findable and stampOf(guard[1]) or '', tied and now or 0, nil, nil
  if record then
    local keptFirst, kept, last, rest = string.match(record, '^([^|]*)(|[^|]*|[^|]*|[^|]*|)(%d+)|[^|]*|(.*)$')
    scored = tied and math.max(last + 0, now) or last + 0
    if not findable then first = keptFirst end
    if keptFirst ~= '' and (not findable or (restoring and guard[2] > now)) then head, sketch = kept, rest end
  end
  if not head then head, sketch = '|' .. s.respondent .. '|' .. s.device .. '|' .. s.prefix .. ',' .. s.token .. ',' .. (s.shared and '' or s.address) .. '|', s.sketch end
  local text = first .. head .. stampOf(scored) .. '|' .. table.concat(node, '\n') .. '|' .. sketch
  redis.call('SET', at .. 'k:' .. session, text, 'PX', spell(first ~= '' and bounds.candidateMs or bounds.dayMs))
end
