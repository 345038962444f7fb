-- Sessions of a source per hour against its active hours; see the memory adapter’s baseline for the model. Uses base, now,
-- hour, restoring, admit.

-- Exponentially weighted moments as "mean variance hours".
local function parseMoments(text)
  if not text then return 0, 0, 0 end
  local mean, variance, hours = string.match(text, '^(%S+) (%S+) (%S+)$')
  return (mean or 0) + 0, (variance or 0) + 0, (hours or 0) + 0
end

local function fold(text, count)
  local mean, variance, hours = parseMoments(text)
  if hours == 0 then return string.format('%.17g 0 1', count) end
  local difference = count - mean
  local alpha = bounds.baselineAlpha
  return string.format('%.17g %.17g %d', mean + alpha * difference, (1 - alpha) * (variance + alpha * difference * difference), hours + 1)
end

local function ownOf(ofHour)
  return 'w' .. formatInteger(ofHour % bounds.hoursPerWeek)
end

-- The moments of all hours with an hour that ended folded in, and into those of its hour of the week.
local function foldHour(key, ofHour, count, all)
  if count == 0 then return all end
  local own = ownOf(ofHour)
  redis.call('HSET', key, own, fold(redis.call('HGET', key, own), count))
  return fold(all, count)
end

local function sourceRate(source, people)
  if source == '' or not within(bounds.candidateMs) then return false end
  local key = base .. 'b:' .. source
  -- Hours that are restored behind the current one have a place of their own until they ended too.
  local known = redis.call('HMGET', key, 'h', 'c', 'all', 'rh', 'rc', ownOf(hour))
  local current, count, all = (known[1] or hour) + 0, (known[2] or 0) + 0, known[3]
  local restored, restoredCount = (known[4] or 0) + 0, (known[5] or 0) + 0
  local repeated = isRepeat(people, 's' .. source)
  local add = admit('s' .. source .. ';') and not repeated
  if restoring and hour < current then
    if add then
      if hour > restored then
        local folded = foldHour(key, restored, restoredCount, all)
        if folded then redis.call('HSET', key, 'all', folded) end
        restored, restoredCount = hour, 0
      end
      redis.call('HSET', key, 'rh', restored, 'rc', restoredCount + 1)
    end
    return false
  end
  local began = not known[1]
  if hour > current then
    all = foldHour(key, restored, restoredCount, all)
    all = foldHour(key, current, count, all)
    if all then redis.call('HSET', key, 'all', all) end
    if restoredCount > 0 then redis.call('HDEL', key, 'rh', 'rc') end
    current, count, began = hour, 0, true
  end
  if add then count = count + 1 end
  if began then
    redis.call('HSET', key, 'h', formatInteger(current), 'c', formatInteger(count))
  elseif add then
    redis.call('HSET', key, 'c', formatInteger(count))
  end
  if began then redis.call('PEXPIRE', key, bounds.candidateMs) end
  local mean, variance, hours = parseMoments(all)
  if hours >= bounds.baselineOwnHours then
    local own = current == hour and not began and known[6] or redis.call('HGET', key, ownOf(current))
    local ownMean, ownVariance, ownHours = parseMoments(own)
    if ownHours >= bounds.baselineOwnHours then mean, variance = ownMean, ownVariance end
  end
  return { count, mean, variance, hours }
end
