-- Keeps a message of the probe. KEYS[1] the project’s tag; ARGV: see arguments.ts; the sketch is packed, and so is
-- the index of bands and term cells. The memory adapter’s probes describe which messages are kept. The hash holds "i", the list of
-- the pages, and under the number of each message its content (c), and of a load its sketch (k) and index (x).
local home, now, session, nonce, phase = KEYS[1], tonumber(ARGV[argument.now]), ARGV[argument.session], ARGV[argument.nonce], ARGV[argument.phase]
local seq, content, sketch, index = tonumber(ARGV[argument.seq]), ARGV[argument.content], ARGV[argument.sketch], ARGV[argument.index]
local indicators, isLoad = cmsgpack.unpack(ARGV[argument.indicators]), phase == 'load'

-- A nonce is kept as "session time keep".
local nonceKey = home .. 'n:' .. nonce
local owner, usedAt, keepMs = string.match(redis.call('GET', nonceKey) or '', '^(%S+) (%d+) (%d+)$')
if owner and now - tonumber(usedAt) >= tonumber(keepMs) then owner = nil end
if owner and owner ~= session then return 'nonce_reused' end

local key = home .. 'p:' .. session
local packed = redis.call('HGET', key, 'i')
local state = packed and cmsgpack.unpack(packed) or { messages = 0, held = ' ', pages = {}, at = now }

-- A message that a receipt refers to stays under its number; any other goes.
local function drop(number)
  if number == 0 or string.find(state.held, ' ' .. number .. ' ', 1, true) then return end
  redis.call('HDEL', key, 'c' .. number, 'k' .. number, 'x' .. number)
end

local function dropPage(page)
  drop(page.load)
  drop(page.update)
end

local pages, current = {}, nil
local gone = now - state.at >= bounds.probeMs
for _, page in ipairs(state.pages) do
  if gone or (not page.loaded and now - page.at >= bounds.updateMs) then
    dropPage(page)
  else
    pages[#pages + 1] = page
    if page.nonce == nonce and not page.replaced then current = #pages end
  end
end

if not current and owner then return 'stale' end
if current and seq <= (isLoad and pages[current].loadSeq or pages[current].updateSeq) then return 'stale' end

state.messages = state.messages + 1
local number = string.format('%d', state.messages)
local function newPage(at)
  return { nonce = nonce, replaced = false, loaded = false, loadSeq = -1, updateSeq = -1, load = 0, update = 0, loadIndicators = {}, updateIndicators = {}, at = at, device = '', bytes = 0, updateBytes = 0 }
end

if not current then
  pages[#pages + 1] = newPage(now)
  current = #pages
end
local page, replaced = pages[current], nil
if isLoad then
  if page.load ~= 0 then
    replaced = newPage(page.at)
    replaced.loadSeq, replaced.load, replaced.loadIndicators, replaced.device, replaced.bytes = page.loadSeq, page.load, page.loadIndicators, page.device, page.bytes
  end
  page.loadSeq, page.load, page.loadIndicators, page.device, page.bytes = seq, state.messages, indicators, ARGV[argument.device], #content
  for _, each in ipairs(pages) do
    if each.nonce == nonce then each.loaded = true end
  end
else
  if page.update ~= 0 then
    replaced = newPage(page.at)
    replaced.update, replaced.updateIndicators, replaced.updateBytes = page.update, page.updateIndicators, page.updateBytes
  end
  page.updateSeq, page.update, page.updateIndicators, page.updateBytes = seq, state.messages, indicators, #content
end
page.at = now

local function isSaid(indicator)
  for _, each in ipairs(pages) do
    for _, list in ipairs({ each.loadIndicators, each.updateIndicators }) do
      for _, known in ipairs(list) do
        if known[1] == indicator[1] and known[2] >= indicator[2] then return true end
      end
    end
  end
  return false
end

if replaced then
  local stays = false
  for _, list in ipairs({ replaced.loadIndicators, replaced.updateIndicators }) do
    for _, indicator in ipairs(list) do
      if not isSaid(indicator) then stays = true end
    end
  end
  if stays then
    replaced.replaced, replaced.loaded = true, page.loaded
    table.insert(pages, math.max(2, #pages), replaced)
  else
    dropPage(replaced)
  end
end

local function suspicionOf(each)
  local sum = 0
  for _, list in ipairs({ each.loadIndicators, each.updateIndicators }) do
    for _, indicator in ipairs(list) do
      sum = sum + indicator[2]
    end
  end
  return sum
end

local function bytesOf()
  local bytes = 0
  for _, each in ipairs(pages) do
    bytes = bytes + each.bytes + each.updateBytes
  end
  return bytes
end

while #pages > 2 and (#pages > bounds.pagesMax or bytesOf() > bounds.pagesBytesMax) do
  local least = 2
  for at = 3, #pages - 1 do
    if suspicionOf(pages[at]) <= suspicionOf(pages[least]) then least = at end
  end
  dropPage(table.remove(pages, least))
end

local hasLoad = false
for _, each in ipairs(pages) do
  if each.loaded then hasLoad = true end
end
state.pages, state.at, state.version = pages, now, nonce .. ':' .. phase .. ':' .. ARGV[argument.seq] .. ':' .. ARGV[argument.now]
-- Lifetimes are texts: a number the server would formatInteger as a fraction first.
local ofPage, ofProbe = 'bounds.updateMs', 'bounds.updateMs'
if page.load ~= 0 then ofPage = 'bounds.probeMs' end
if hasLoad or state.held ~= ' ' then ofProbe = 'bounds.probeMs' end
redis.call('SET', nonceKey, session .. ' ' .. ARGV[argument.now] .. ' ' .. ofPage, 'PX', ofPage)
local kept = cmsgpack.pack(state)
if isLoad then
  redis.call('HSET', key, 'i', kept, 'c' .. number, content, 'k' .. number, sketch, 'x' .. number, index)
else
  redis.call('HSET', key, 'i', kept, 'c' .. number, content)
end
redis.call('PEXPIRE', key, ofProbe)
return 'stored'
