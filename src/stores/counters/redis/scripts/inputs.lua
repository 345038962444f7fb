-- What every part of the counting scripts looks at: the session at hand, set for each in turn. `clock` is when the call
-- comes; of a session that is restored, now lies before it. Times are texts of 13 digits, so that they sort as texts.
-- Keys of the world that is counted in begin with `base`; those of the project, which all its worlds share, with `home`.
local base, home
local now, nowText, session, scope, at, clock, restoring, slot, hour, hourText
-- The bucket of the session as a stamp, and the last bucket that an hour up to it no longer holds.
local slotStamp, slotGone
-- How an entry of the session begins in a list of references, and the entry with its time.
local ownMark, ownEntry

local function enter(ofNowText, ofSession, ofScope, ofClock)
  base, home = KEYS[1], string.match(KEYS[1], '^%b{}:')
  nowText, session, scope, restoring = ofNowText, ofSession, ofScope, ofClock ~= nil
  now = tonumber(nowText)
  ownMark = ';' .. session
  ownEntry = ownMark .. nowText
  clock = ofClock or now
  at = base .. scope .. ':'
  slot = math.floor(now / bounds.slotMs)
  hour = math.floor(now / bounds.hourMs)
  hourText = string.format('%d', hour)
  slotStamp, slotGone = string.format('%013d', slot), string.format('%013d', slot - bounds.slotsPerHour)
end

-- Whether a window that ends with the call still holds the session.
local function within(windowMs)
  return now > clock - windowMs
end

-- Numbers are spelt as whole ones: left to the server or to .., each is taken for a fraction, at many times the cost.
local function spell(number)
  return string.format('%d', number)
end

local function stampOf(number)
  if number == now then return nowText end
  return string.format('%013d', number)
end
