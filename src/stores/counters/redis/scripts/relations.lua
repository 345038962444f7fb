-- What ties a session to others of its scope. Sightings are strings of ";session time", the latest first; edges are
-- D<device>, R<respondent> and A<address>/<class>. Uses at, now, nowText, session, guard, admit.

local function eachSighting(text)
  return string.gmatch(text or '', ';([^ ;]+) (%d+)')
end

local function timeOfSighting(text, of)
  local _, last = string.find(text, ';' .. of .. ' ', 1, true)
  return last and tonumber(string.match(text, '^%d+', last + 1))
end

-- The text with the session in front, or unchanged (and false) where it was noted within `keepMs`.
local function addSighting(text, keepMs, max)
  local known = timeOfSighting(text, session)
  if known and known > now - keepMs then return text, false end
  if known then text = string.gsub(text, ';' .. session .. ' %d+', '', 1) end
  local _, count = string.gsub(text, ';', ';')
  if count >= max then text = string.match(text, '^(.*);[^;]*$') end
  return ';' .. session .. ' ' .. nowText .. text, true
end

local function gather(found, text, via, oldest)
  for other, sighted in eachSighting(text) do
    sighted = tonumber(sighted)
    if other ~= session and sighted > oldest then
      local known = found[other]
      if not known then
        found[other] = { other, sighted, via }
      elseif sighted > known[2] then
        known[2] = sighted
      end
    end
  end
end

local function latest(found, picked, max)
  local sorted = {}
  for _, entry in pairs(found) do
    sorted[#sorted + 1] = entry
  end
  table.sort(sorted, function(a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  for i = 1, math.min(#sorted, max - #picked) do
    picked[#picked + 1] = sorted[i]
  end
end

-- Those that share an identifier first, then those that look alike. Answers [session, via] of each, and their records.
local function pickCandidates(respondentText, deviceText, bandTexts)
  local exact, similar, picked = {}, {}, {}
  gather(exact, respondentText, 'respondent', now - bounds.candidateMs)
  gather(exact, deviceText, 'device', now - bounds.candidateMs)
  latest(exact, picked, bounds.candidatesMax)
  for _, text in ipairs(bandTexts) do
    gather(similar, text, 'similar', now - bounds.similarMs)
  end
  for known in pairs(exact) do
    similar[known] = nil
  end
  latest(similar, picked, bounds.candidatesMax)
  local candidates, records = {}, {}
  if #picked == 0 then return candidates, records end
  local keys = {}
  for i, entry in ipairs(picked) do
    keys[i] = at .. 'k:' .. entry[1]
  end
  for i, record in ipairs(redis.call('MGET', unpack(keys))) do
    if record then
      candidates[#candidates + 1] = { picked[i][1], picked[i][3] }
      records[#records + 1] = record
    end
  end
  return candidates, records
end

-- Two generations of a hash from band to sightings: the current one is written, and takes over what it touches of the
-- one before. A generation ends after a day or when it is full; the one before it is dropped then.
local function exchangeBands(bands)
  if #bands == 0 then return {} end
  local stateKey = at .. 'y'
  local state = redis.call('HMGET', stateKey, 'g', 't', 'n')
  local generation, began, count = tonumber(state[1] or 0), tonumber(state[2] or now), tonumber(state[3] or 0)
  if count >= bounds.bandGenerationSessions or now - began >= bounds.similarMs then
    redis.call('UNLINK', at .. 'x' .. (generation - 1))
    generation, began, count = generation + 1, now, 0
  end
  local key = at .. 'x' .. generation
  local texts = redis.call('HMGET', key, unpack(bands))
  local before = generation > 0 and redis.call('HMGET', at .. 'x' .. (generation - 1), unpack(bands)) or {}
  local writes = {}
  for i = 1, #bands do
    texts[i] = texts[i] or before[i] or ''
    local text, added = addSighting(texts[i], bounds.similarMs, bounds.bandSessionsMax)
    if added then
      writes[#writes + 1] = bands[i]
      writes[#writes + 1] = text
    end
  end
  if #writes > 0 then
    redis.call('HSET', key, unpack(writes))
    redis.call('HSET', stateKey, 'g', generation, 't', began, 'n', count + 1)
    -- A generation is written for a day at most, and read for one more after it; once in a while is enough.
    if count % 16 == 0 then
      redis.call('PEXPIRE', key, 3 * bounds.similarMs)
      redis.call('PEXPIRE', stateKey, 4 * bounds.similarMs)
    end
  end
  return texts
end

-- The latest sessions of the scope as a list of "time prefix", and how often each prefix stands in it.
local function advanceWindow(prefix)
  local listKey, sharesKey = at .. 'r', at .. 'w'
  local add = admit('w' .. ARGV[6])
  local oldest = redis.call('LINDEX', listKey, 0)
  local function timeOf(entry) return tonumber(string.match(entry, '^%d+')) end
  local first = now - bounds.neighborhoodMs + 1
  if oldest and timeOf(oldest) < first and timeOf(redis.call('LINDEX', listKey, -1)) < first then
    redis.call('UNLINK', listKey, sharesKey)
    oldest = false
  end
  local shares = redis.call('HMGET', sharesKey, '#squares', '#prefixes', prefix)
  local squares, prefixes, own = tonumber(shares[1] or 0), tonumber(shares[2] or 0), tonumber(shares[3] or 0)
  local length
  if add then
    length = redis.call('RPUSH', listKey, nowText .. ' ' .. prefix)
    own = redis.call('HINCRBY', sharesKey, prefix, 1)
    squares = squares + 2 * own - 1
    if own == 1 then prefixes = prefixes + 1 end
    oldest = oldest or (nowText .. ' ' .. prefix)
  else
    length = redis.call('LLEN', listKey)
  end
  local moved = add
  while oldest and (timeOf(oldest) < first or length > bounds.neighborhoodSessionsMax) do
    moved = true
    redis.call('LPOP', listKey)
    length = length - 1
    local gone = string.match(oldest, '^%d+ (.*)$')
    local left = redis.call('HINCRBY', sharesKey, gone, -1)
    squares = squares - 2 * left - 1
    if left == 0 then
      redis.call('HDEL', sharesKey, gone)
      prefixes = prefixes - 1
    end
    if gone == prefix then own = left end
    oldest = redis.call('LINDEX', listKey, 0)
  end
  if moved then
    redis.call('HSET', sharesKey, '#squares', squares, '#prefixes', prefixes)
    redis.call('PEXPIRE', sharesKey, 2 * bounds.neighborhoodMs)
    redis.call('PEXPIRE', listKey, 2 * bounds.neighborhoodMs)
  end
  local since = now
  if oldest then since = math.max(first, timeOf(oldest)) end
  return length, own, squares, prefixes, since
end

-- Members of an edge seen since then, as session -> time; nil for a hub.
local function membersSince(text, since)
  local members, count = {}, 0
  for other, sighted in eachSighting(text) do
    sighted = tonumber(sighted)
    if sighted >= since then
      members[other] = sighted
      count = count + 1
    end
  end
  if count > bounds.hubMembers then return nil end
  return members
end

-- A node is the time of its latest scoring and, on further lines, its session’s edges.
local function parseNode(text)
  local edges = {}
  local scored, rest = string.match(text or '', '^(%d+)(.*)$')
  if scored and now - tonumber(scored) < bounds.dayMs then
    for edge in string.gmatch(rest, '[^\n]+') do
      edges[#edges + 1] = edge
    end
  end
  return edges
end

-- Breadth first from this session. `nodes` (session -> list of edges) and `edges` (edge -> text) hold what was read
-- already; the rest is read one level at a time.
local function walkGraph(nodes, edges, since)
  local visited, count, crossed, members = { [session] = true }, 0, {}, {}
  local frontier, direct = { session }, nil
  while #frontier > 0 do
    local nodeKeys, unread = {}, {}
    for _, node in ipairs(frontier) do
      if not nodes[node] then
        unread[#unread + 1] = node
        nodeKeys[#nodeKeys + 1] = at .. 'v:' .. node
      end
    end
    if #unread > 0 then
      for i, text in ipairs(redis.call('MGET', unpack(nodeKeys))) do
        nodes[unread[i]] = parseNode(text)
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
        edges[missing[start + i - 1]] = text or ''
      end
    end
    local found = {}
    for _, node in ipairs(frontier) do
      for _, edge in ipairs(nodes[node]) do
        local byTime = string.sub(edge, 1, 1) == 'A'
        if byTime or not crossed[edge] then
          crossed[edge] = true
          if members[edge] == nil then members[edge] = membersSince(edges[edge], since) or false end
          local own = byTime and timeOfSighting(edges[edge], node)
          for other, sighted in pairs(members[edge] or {}) do
            local near = not byTime or (own and math.abs(sighted - own) <= bounds.addressEdgeMs)
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

-- Reads and writes everything above for this session. Answers candidates, their records and the neighborhood.
local function relate(respondent, device, address, prefix, deviceClass, shared, probe)
  local own = {}
  if device ~= '' then own[#own + 1] = 'D' .. device end
  if respondent ~= '' then own[#own + 1] = 'R' .. respondent end
  if not shared and deviceClass ~= '' then own[#own + 1] = 'A' .. address .. '/' .. deviceClass end
  local keys = { at .. 'v:' .. session }
  for i, edge in ipairs(own) do
    keys[i + 1] = at .. 'e:' .. edge
  end
  local values = redis.call('MGET', unpack(keys))
  local edges = {}
  for i, edge in ipairs(own) do
    edges[edge] = values[i + 1] or ''
  end

  local bandTexts = exchangeBands(probe and probe.bands or {})
  local candidates, records = pickCandidates(edges['R' .. respondent], edges['D' .. device], bandTexts)
  -- A session without any of these cannot be found, so that nothing needs to be known of it.
  if respondent ~= '' or device ~= '' or #bandTexts > 0 then
    local known = string.format('%.0f', guard[1]) .. '|' .. respondent .. '|' .. device .. '|' .. prefix .. '|'
    redis.call('SET', at .. 'k:' .. session, known .. (probe and probe.sketch or ''), 'PX', bounds.candidateMs)
  end

  local node = parseNode(values[1])
  for i, edge in ipairs(own) do
    local edgeMs = string.sub(edge, 1, 1) == 'A' and bounds.dayMs or bounds.candidateMs
    local text, added = addSighting(edges[edge], edgeMs, bounds.edgeMembersMax)
    edges[edge] = text
    if added then redis.call('SET', keys[i + 1], text, 'PX', edgeMs) end
    local known = false
    for _, other in ipairs(node) do
      known = known or other == edge
    end
    if not known and #node < bounds.edgesMax then node[#node + 1] = edge end
  end
  if #node > 0 then redis.call('SET', keys[1], nowText .. '\n' .. table.concat(node, '\n'), 'PX', bounds.dayMs) end

  local length, prefixSessions, squares, prefixes, since = advanceWindow(prefix)
  local direct, linked = walkGraph({ [session] = node }, edges, since)
  return candidates, records, { length, direct, linked, prefixSessions, squares, prefixes }
end
