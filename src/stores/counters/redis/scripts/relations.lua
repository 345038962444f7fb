-- Links between a session and others of its scope: links are D<device>, R<respondent> and A<address>/<class>. The record of a
-- session is "first scored|respondent|device|prefix,token,address|last linked|links, a line each|sketch"; a shared address is left out. Uses at, now, nowText, clock, guard, within.

local function sightingsOf(link, text)
  if not text then return '' end
  if string.sub(link, 1, 1) == 'A' then return text end
  return string.match(text, '^[^|]*|[^|]*|(.*)$')
end

-- The links of a session that was linked within a day before the call: what has expired by then does not come back, wherever
-- the time of a session lies that is restored.
local function linksOf(record)
  local links = {}
  if not record then return links end
  local scored, lines = string.match(record, '^[^|]*|[^|]*|[^|]*|[^|]*|(%d+)|([^|]*)|')
  if clock - scored < bounds.dayMs then
    for link in string.gmatch(lines, '[^\n]+') do
      links[#links + 1] = link
    end
  end
  return links
end

-- The part of a link's text that holds members seen after then; nothing of a hub.
local function membersAfter(text, oldest)
  text = dropEntries(text, oldest)
  return #text > bounds.hubMembers * entryWidth and '' or text
end

-- Whether the session is the only one that was ever seen at each of its links; a link that was not read may hold others.
local function isAlone(node, links)
  for _, link in ipairs(node) do
    if not links[link] or #links[link] > entryWidth then return false end
  end
  return true
end

-- Breadth first from this session. `nodes` (session -> list of links), `records` (session -> record) and `links` (link -> sightings) hold what was
-- read already; the rest is read one level at a time.
local function walkGraph(nodes, records, links, since)
  if isAlone(nodes[session], links) then return 0, 0 end
  local oldest = formatTimestamp(tonumber(string.sub(since, 1, 13)) - 1)
  local visited, count, crossed, members = { [session] = true }, 0, {}, {}
  local frontier, direct = { session }, nil
  while #frontier > 0 do
    local nodeKeys, unread = {}, {}
    for _, node in ipairs(frontier) do
      if records[node] then nodes[node] = linksOf(records[node]) end
      if not nodes[node] then
        unread[#unread + 1] = node
        nodeKeys[#nodeKeys + 1] = at .. 'k:' .. node
      end
    end
    if #unread > 0 then
      for i, record in ipairs(redis.call('MGET', unpack(nodeKeys))) do
        nodes[unread[i]] = linksOf(record)
      end
    end
    local linkKeys, missing = {}, {}
    for _, node in ipairs(frontier) do
      for _, link in ipairs(nodes[node]) do
        if not links[link] then
          links[link] = ''
          missing[#missing + 1] = link
          linkKeys[#linkKeys + 1] = at .. 'e:' .. link
        end
      end
    end
    -- In portions: Lua’s stack bounds how many arguments a call may have.
    for start = 1, #missing, 200 do
      for i, text in ipairs(redis.call('MGET', unpack(linkKeys, start, math.min(start + 199, #missing)))) do
        local link = missing[start + i - 1]
        links[link] = sightingsOf(link, text)
      end
    end
    local found = {}
    for _, node in ipairs(frontier) do
      for _, link in ipairs(nodes[node]) do
        local byTime = string.sub(link, 1, 1) == 'A'
        if byTime or not crossed[link] then
          crossed[link] = true
          local text = members[link]
          if not text then
            text = membersAfter(links[link], oldest)
            members[link] = text
          end
          local own
          if byTime then
            local _, stamp = findEntry(links[link], node)
            own = tonumber(stamp)
            if not own then text = '' end
          end
          for i = 1, #text, entryWidth do
            local other = string.sub(text, i + 1, i + 16)
            local near = not byTime or math.abs(tonumber(string.sub(text, i + 17, i + 29)) - own) <= bounds.addressLinkMs
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

-- The session’s links with those of this call among them.
local function joinLinks(record, own)
  local node, known = linksOf(record), {}
  for i = 1, #node do
    known[node[i]] = true
  end
  for i = 1, #own do
    local link = own[i]
    if not known[link] and #node < bounds.linksMax then node[#node + 1] = link end
  end
  return node
end

-- A session without any identifier cannot be found, and has no time of first scoring here: what an earlier call said of
-- it stands then. So does what a later call said, before a session that is restored.
local function writeRecord(record, s, findable, node, linked)
  local first, scored, head, sketch = findable and formatTimestamp(guard[1]) or '', linked and now or 0, nil, nil
  if record then
    local keptFirst, kept, last, rest = string.match(record, '^([^|]*)(|[^|]*|[^|]*|[^|]*|)(%d+)|[^|]*|(.*)$')
    scored = linked and math.max(last + 0, now) or last + 0
    if not findable then first = keptFirst end
    if keptFirst ~= '' and (not findable or (restoring and guard[2] > now)) then head, sketch = kept, rest end
  end
  if not head then head, sketch = '|' .. s.respondent .. '|' .. s.device .. '|' .. s.prefix .. ',' .. s.token .. ',' .. (s.shared and '' or s.address) .. '|', s.sketch end
  local text = first .. head .. formatTimestamp(scored) .. '|' .. table.concat(node, '\n') .. '|' .. sketch
  redis.call('SET', at .. 'k:' .. session, text, 'PX', formatInteger(first ~= '' and bounds.candidateMs or bounds.dayMs))
end
