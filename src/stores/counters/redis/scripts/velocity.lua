-- Rates over windows. Counting and reading are one step, so that the session itself is included. The values of one
-- subject stand in one text of three sections, read and written once a call. Uses base, at (the scope’s keys), now, slot,
-- hour, within.

local function splitSections(text)
  if not text then return '', '', '' end
  return string.match(text, '^([^|]*)|([^|]*)|(.*)$')
end

-- Buckets as "bucket:count;": one more in the current one if `add`; then the sum over the window of `width` buckets.
local function tally(text, bucket, bucketText, width, add)
  if text == '' then
    if add then return bucketText .. ':1;', 1 end
    return text, 0
  end
  local kept, sum = {}, 0
  for key, count in string.gmatch(text, '(%d+):(%d+);') do
    local of = key + 0
    if of > bucket - width then
      count = count + 0
      if add and of == bucket then
        count, add = count + 1, false
      end
      if of <= bucket then sum = sum + count end
      kept[#kept + 1] = key .. ':' .. formatInteger(count) .. ';'
    end
  end
  if add then
    kept[#kept + 1] = bucketText .. ':1;'
    sum = sum + 1
  end
  return table.concat(kept), sum
end

local function perHour(text, add)
  return tally(text, hour, hourText, bounds.hoursPerDay, add)
end

local function perSlot(text, add)
  return tally(text, slot, slotText, bounds.slotsPerHour, add)
end

-- Distinct members of a sliding window, by when each was seen last; the count stops at the cap.
local function seen(text, member, windowMs)
  if text == '' then
    if member == '' or not within(windowMs) then return text, 0 end
    return ';' .. member .. nowText, 1
  end
  if member ~= '' and within(windowMs) then text = noteEntry(text, member, nowText) end
  text = string.sub(dropEntries(text, formatTimestamp(now - windowMs)), 1, bounds.distinctCap * entryWidth)
  return text, #text / entryWidth
end

local function estimate(key)
  local keys = {}
  for i = 0, bounds.slotsPerHour - 1 do
    keys[i + 1] = key .. ':' .. (slot - i)
  end
  return redis.call('PFCOUNT', unpack(keys))
end

local function addToEstimate(key, ofSlot, member)
  local sketch = key .. ':' .. ofSlot
  redis.call('PFADD', sketch, member)
  redis.call('PEXPIRE', sketch, 2 * bounds.hourMs)
end

-- Distinct members of the last hour by narrow bucket: exact up to the cap, from there on one HyperLogLog per bucket
-- until nothing was added for an hour. The text is then "H" and the bucket of the latest addition.
local function seenBySlot(text, kind, address, member)
  if text == '' then
    if member == '' then return text, 0 end
    return ';' .. member .. slotStamp, 1
  end
  local key = at .. 'u' .. kind .. address
  local lastSlot = tonumber(string.match(text, '^H(%d+)'))
  if lastSlot and lastSlot > slot - bounds.slotsPerHour then
    if member ~= '' then
      addToEstimate(key, slot, member)
      text = 'H' .. math.max(lastSlot, slot)
    end
    return text, estimate(key)
  end
  if lastSlot then text = '' end
  if member ~= '' then text = noteEntry(text, member, slotStamp) end
  if text == '' then return text, 0 end
  text = dropEntries(text, slotGone)
  local count = #text / entryWidth
  if count <= bounds.distinctCap then return text, count end
  local latest = slot
  for i = 1, #text, entryWidth do
    local reference, stamp = entryAt(text, i)
    local ofSlot = stamp + 0
    latest = math.max(latest, ofSlot)
    addToEstimate(key, ofSlot, reference)
  end
  return 'H' .. latest, estimate(key)
end

