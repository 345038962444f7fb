-- The session at hand, which every part of the counting scripts reads, set for each in turn. `clock` is when the call
-- comes; of a session that is restored, now lies before it. Times are texts of 13 digits, so that they sort as texts.
-- Keys of the mode that is counted in begin with `base`; those of the project, which all its modes share, with `home`.
-- A text becomes a number by `+ 0`: tonumber is a call of the host's, and reads the text twice.
local base, home
local now, nowText, session, scope, at, clock, restoring, slot, hour, hourText
-- The bucket of the session as a stamp, and the last bucket that an hour up to it no longer holds.
local slotText, slotStamp, slotGone
-- How an entry of the session begins in a list of references, and the entry with its time.
local ownMark, ownEntry

local function enter(ofNowText, ofSession, ofScope, ofClock)
  if base ~= KEYS[1] then
    base, home = KEYS[1], string.match(KEYS[1], '^%b{}:')
  end
  nowText, session, scope, restoring = ofNowText, ofSession, ofScope, ofClock ~= nil
  now = nowText + 0
  ownMark = ';' .. session
  ownEntry = ownMark .. nowText
  clock = ofClock or now
  at = base .. scope .. ':'
  -- The texts of the call before are nearly always still right.
  local inSlot, inHour = math.floor(now / bounds.slotMs), math.floor(now / bounds.hourMs)
  if inHour ~= hour then hour, hourText = inHour, string.format('%d', inHour) end
  if inSlot ~= slot then
    slot, slotText, slotStamp, slotGone = inSlot, string.format('%d', inSlot), string.format('%013d', inSlot), string.format('%013d', inSlot - bounds.slotsPerHour)
  end
end

-- Whether a window that ends with the call still holds the session.
local function within(windowMs)
  return now > clock - windowMs
end

-- Numbers are formatted as whole ones: left to the server or to .., each is taken for a fraction, at many times the cost.
-- Counts are mostly small; these are formatted once.
local formatted = {}

local function formatInteger(number)
  local text = formatted[number]
  if not text then
    text = string.format('%d', number)
    if number < 1000 then formatted[number] = text end
  end
  return text
end

local function formatTimestamp(number)
  if number == now then return nowText end
  return string.format('%013d', number)
end
