-- What every part of the counting script looks at.
local base, now, nowText, session = KEYS[1], tonumber(ARGV[1]), ARGV[1], ARGV[2]
local at = base .. ARGV[6] .. ':'
