-- Reads the published history of the subjects that a call names and of its device, and whether the project is complete. Uses base, now, nowText.

local completeAt
local historyAt

local function wantHistory(device)
  completeAt = want(base .. 'complete')
  historyAt = {}
  for subject in string.gmatch(ARGV[argument.history] .. ' ' .. (device == '' and '-' or device), '%S+') do
    historyAt[#historyAt + 1] = subject ~= '-' and want(base .. 'o:' .. subject)
  end
end

local function isComplete(marked)
  if not marked then return false end
  if math.abs(now - marked) >= bounds.completeRenewMs then redis.call('SET', base .. 'complete', nowText, 'PX', bounds.completeMs) end
  return true
end

-- In the order in which they were wanted; false without a record.
local function readHistory(read)
  local histories = {}
  for i = 1, #historyAt do
    local published = historyAt[i] and read[historyAt[i]]
    histories[i] = published and string.match(published, '^%S+ (.*)$') or false
  end
  return histories
end
