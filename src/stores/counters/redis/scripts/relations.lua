-- What ties a session to others of its scope: edges are D<device>, R<respondent> and A<address>/<class>. The record of a
-- session is "first scored|respondent|device|prefix,token,address|last tied|edges, a line each|sketch"; a shared address is left out. Uses at, now, nowText, guard, within.

local function sightingsOf(edge, text)
  if not text then return '' end
  if string.sub(edge, 1, 1) == 'A' then return text end
  return string.match(text, '^[^|]*|[^|]*|(.*)$')
end

-- The edges of a session that was tied within a day.
local function edgesOf(record)
  local edges = {}
  if not record then return edges end
  local scored, lines = string.match(record, '^[^|]*|[^|]*|[^|]*|[^|]*|(%d+)|([^|]*)|')
  if now - tonumber(scored) < bounds.dayMs then
    for edge in string.gmatch(lines, '[^\n]+') do
      edges[#edges + 1] = edge
    end
  end
  return edges
end

-- Members of an edge seen since then, with their times; nil for a hub.
local function membersSince(text, since)
  local members, count = {}, 0
  for i = 1, #text, entryWidth do
    local other, stamp = entryAt(text, i)
    local sighted = tonumber(stamp)
    if sighted < since then break end
    count = count + 1
    members[count] = { other, sighted }
  end
  if count > bounds.hubMembers then return nil end
  return members
end

-- Breadth first from this session. `nodes` (session -> list of edges) and `edges` (edge -> sightings) hold what was read
-- already; the rest is read one level at a time.
local function walkGraph(nodes, edges, since)
  local visited, count, crossed, members = { [session] = true }, 0, {}, {}
  local frontier, direct = { session }, nil
  while #frontier > 0 do
    local nodeKeys, unread = {}, {}
    for _, node in ipairs(frontier) do
      if not nodes[node] then
        unread[#unread + 1] = node
        nodeKeys[#nodeKeys + 1] = at .. 'k:' .. node
      end
    end
    if #unread > 0 then
      for i, record in ipairs(redis.call('MGET', unpack(nodeKeys))) do
        nodes[unread[i]] = edgesOf(record)
      end
    end
    local edgeKeys, missing = {}, {}
    for _, node in ipairs(frontier) do
      for _, edge in ipairs(nodes[node]) do
        if not edges[edge] then
          edges[edge] = ''
          missing[#missing + 1] = edge
          edgeKeys[#edgeKeys + 1] = at .. 'e:' .. edge
        end
      end
    end
    -- In portions: Lua’s stack bounds how many arguments a call may have.
    for start = 1, #missing, 200 do
      for i, text in ipairs(redis.call('MGET', unpack(edgeKeys, start, math.min(start + 199, #missing)))) do
        local edge = missing[start + i - 1]
        edges[edge] = sightingsOf(edge, text)
      end
    end
    local found = {}
    for _, node in ipairs(frontier) do
      for _, edge in ipairs(nodes[node]) do
        local byTime = string.sub(edge, 1, 1) == 'A'
        if byTime or not crossed[edge] then
          crossed[edge] = true
          if members[edge] == nil then members[edge] = membersSince(edges[edge], since) or false end
          local own
          if byTime then
            local _, stamp = findEntry(edges[edge], node)
            own = tonumber(stamp)
          end
          for _, member in ipairs(members[edge] or {}) do
            local other = member[1]
            local near = not byTime or (own and math.abs(member[2] - own) <= bounds.addressEdgeMs)
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

-- The session’s edges with those of this call among them.
local function joinEdges(record, own)
  local node, known = edgesOf(record), {}
  for _, edge in ipairs(node) do
    known[edge] = true
  end
  for _, edge in ipairs(own) do
    if not known[edge] and #node < bounds.edgesMax then node[#node + 1] = edge end
  end
  return node
end

-- A session without any identifier cannot be found, and has no time of first scoring here: what an earlier call said of
-- it stands then. So does what a later call said, before a session that is restored.
local function writeRecord(record, s, findable, node, tied)
  local first, scored, head, sketch = findable and stampOf(guard[1]) or '', tied and now or 0, nil, nil
  if record then
    local keptFirst, kept, last, rest = string.match(record, '^([^|]*)(|[^|]*|[^|]*|[^|]*|)(%d+)|[^|]*|(.*)$')
    scored = tied and math.max(tonumber(last), now) or tonumber(last)
    if not findable then first = keptFirst end
    if keptFirst ~= '' and (not findable or (restoring and guard[2] > now)) then head, sketch = kept, rest end
  end
  if not head then head, sketch = '|' .. s.respondent .. '|' .. s.device .. '|' .. s.prefix .. ',' .. s.token .. ',' .. (s.shared and '' or s.address) .. '|', s.sketch end
  local text = first .. head .. stampOf(scored) .. '|' .. table.concat(node, '\n') .. '|' .. sketch
  redis.call('SET', at .. 'k:' .. session, text, 'PX', first ~= '' and bounds.candidateMs or bounds.dayMs)
end
