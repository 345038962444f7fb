-- Rates over windows. Counting and reading are one step, so that the session itself is included. Uses base, at (the
-- scope’s keys), now, admit.

local slot = math.floor(now / bounds.slotMs)
local hour = math.floor(now / bounds.hourMs)

-- A hash of buckets: one more in the current one if `add`; the sum over the window of `width` buckets.
local function tally(key, bucket, width, keepMs, add)
  -- Later sessions of the same bucket need not move the expiry: it is twice the window.
  if add and redis.call('HINCRBY', key, bucket, 1) == 1 then redis.call('PEXPIRE', key, keepMs) end
  local fields = redis.call('HGETALL', key)
  local sum, old = 0, nil
  for i = 1, #fields, 2 do
    local of = tonumber(fields[i])
    if of <= bucket - width then
      old = old or {}
      old[#old + 1] = fields[i]
    elseif of <= bucket then
      sum = sum + tonumber(fields[i + 1])
    end
  end
  if old then redis.call('HDEL', key, unpack(old)) end
  return sum
end

local function perHour(name, add)
  return tally(at .. 'h' .. name, hour, bounds.hoursPerDay, 2 * bounds.dayMs, add)
end

local function perSlot(name, add)
  return tally(at .. 'm' .. name, slot, bounds.slotsPerHour, 2 * bounds.hourMs, add)
end

-- Distinct members of a sliding window, by when each was seen last; the count stops at the cap.
local function seen(name, member, windowMs)
  local key = at .. 'z' .. name
  if member ~= '' then
    redis.call('ZADD', key, 'GT', now, member)
    redis.call('PEXPIRE', key, 2 * windowMs)
  end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - windowMs)
  local count = redis.call('ZCARD', key)
  if count <= bounds.distinctCap then return count end
  redis.call('ZREMRANGEBYRANK', key, 0, count - bounds.distinctCap - 1)
  return bounds.distinctCap
end

local function estimate(key)
  local keys = {}
  for i = 0, bounds.slotsPerHour - 1 do
    keys[i + 1] = key .. ':' .. (slot - i)
  end
  return redis.call('PFCOUNT', unpack(keys))
end

local function addToEstimate(key, ofSlot, members)
  local sketch = key .. ':' .. ofSlot
  redis.call('PFADD', sketch, unpack(members))
  redis.call('PEXPIRE', sketch, 2 * bounds.hourMs)
end

-- Distinct members of the last hour by narrow bucket: exact up to the cap, from there on one HyperLogLog per bucket
-- until nothing was added for an hour. The mode’s key holds the bucket of the latest addition.
local function seenBySlot(name, member)
  local key = at .. 'u' .. name
  local modeKey = key .. ':mode'
  local lastSlot = tonumber(redis.call('GET', modeKey) or -1)
  if lastSlot > slot - bounds.slotsPerHour then
    if member ~= '' then
      addToEstimate(key, slot, { member })
      if slot > lastSlot then redis.call('SET', modeKey, slot, 'PX', 2 * bounds.hourMs) end
    end
    return estimate(key)
  end
  if member ~= '' then
    redis.call('ZADD', key, 'GT', slot, member)
    redis.call('PEXPIRE', key, 2 * bounds.hourMs)
  end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', slot - bounds.slotsPerHour)
  local count = redis.call('ZCARD', key)
  if count <= bounds.distinctCap then return count end
  local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #members, 2 do
    addToEstimate(key, members[i + 1], { members[i] })
  end
  redis.call('DEL', key)
  redis.call('SET', modeKey, members[#members], 'PX', 2 * bounds.hourMs)
  return estimate(key)
end

-- Exponentially weighted moments as "mean variance hours".
local function parseMoments(text)
  local mean, variance, hours = string.match(text or '', '^(%S+) (%S+) (%S+)$')
  return tonumber(mean or 0), tonumber(variance or 0), tonumber(hours or 0)
end

local function fold(text, count)
  local mean, variance, hours = parseMoments(text)
  if hours == 0 then return string.format('%.17g 0 1', count) end
  local difference = count - mean
  local alpha = bounds.baselineAlpha
  return string.format('%.17g %.17g %d', mean + alpha * difference, (1 - alpha) * (variance + alpha * difference * difference), hours + 1)
end

-- This hour’s sessions of a source against its active hours; see the memory adapter’s baseline for the model.
local function sourceRate(source)
  if source == '' then return false end
  local key = base .. 'b:' .. source
  local known = redis.call('HMGET', key, 'h', 'c', 'all')
  local current, count, all = tonumber(known[1] or hour), tonumber(known[2] or 0), known[3]
  if hour > current then
    if count > 0 then
      local own = 'w' .. (current % bounds.hoursPerWeek)
      all = fold(all, count)
      redis.call('HSET', key, 'all', all, own, fold(redis.call('HGET', key, own), count))
    end
    current, count = hour, 0
  end
  if admit('s' .. source) then count = count + 1 end
  redis.call('HSET', key, 'h', current, 'c', count)
  redis.call('PEXPIRE', key, bounds.candidateMs)
  local mean, variance, hours = parseMoments(all)
  if hours >= bounds.baselineOwnHours then
    local ownMean, ownVariance, ownHours = parseMoments(redis.call('HGET', key, 'w' .. (current % bounds.hoursPerWeek)))
    if ownHours >= bounds.baselineOwnHours then mean, variance = ownMean, ownVariance end
  end
  return { count, mean, variance, hours }
end
