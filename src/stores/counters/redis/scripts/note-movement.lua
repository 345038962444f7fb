-- Notes the input of a session by its marks. KEYS[1] the project's tag; ARGV: now, the session, its marks. Answers in how many other sessions the same input came.
-- A hash for each day holds under each mark the sessions that had it, the latest first. If a day has too many marks, the older half moves to the day before.
local session, day = ARGV[2], math.floor(tonumber(ARGV[1]) / bounds.dayMs)
local today, yesterday = KEYS[1] .. 'm:' .. string.format('%d', day), KEYS[1] .. 'm:' .. string.format('%d', day - 1)
local marks = {}
for at = 3, #ARGV do
  marks[#marks + 1] = ARGV[at]
end

local held = redis.call('HLEN', today)
if held + #marks > bounds.movementMarksMax then
  redis.call('RENAME', today, yesterday)
  held = 0
end
local current, earlier = redis.call('HMGET', today, unpack(marks)), redis.call('HMGET', yesterday, unpack(marks))

local groups, repeats, writes = {}, 0, {}
for i, mark in ipairs(marks) do
  local known = current[i] or earlier[i] or ''
  local others, group = '', string.sub(mark, 1, 1)
  for at = 1, #known, #session do
    local other = string.sub(known, at, at + #session - 1)
    if other ~= session then
      others = others .. other
      local agreed = groups[other] or ''
      if not string.find(agreed, group, 1, true) then
        groups[other] = agreed .. group
        if #agreed + 1 == bounds.movementGroupsMin then repeats = repeats + 1 end
      end
    end
  end
  writes[2 * i - 1] = mark
  writes[2 * i] = string.sub(session .. others, 1, bounds.movementSessionsMax * #session)
end
redis.call('HSET', today, unpack(writes))
if held == 0 then redis.call('PEXPIRE', today, 2 * bounds.dayMs) end
return math.min(repeats, bounds.movementSessionsMax)
