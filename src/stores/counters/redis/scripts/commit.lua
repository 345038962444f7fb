-- Writes what a step of counting ends with, all or nothing. KEYS: those that are set, that are added to, counted up, and removed. ARGV: how many of each there are, and of the set ones how many must still be what they were; then what is written. Answers 1, or 0 if a
-- value is another one by now.
local sets, checked, appends, increments, removes = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0
local key, arg = 0, 5

if checked > 0 then
  local current = redis.call('MGET', unpack(KEYS, 1, checked))
  for i = 1, checked do
    -- Nothing, or a version, and the length of a value that others add to.
    local expected, value = ARGV[arg + 3 * i - 2], current[i]
    if expected == '' then
      if value then return 0 end
    elseif not value or string.sub(value, 1, 2) ~= string.sub(expected, 1, 2) or (#expected > 2 and #value ~= string.sub(expected, 3) + 0) then
      return 0
    end
  end
end

for i = 1, sets do
  redis.call('SET', KEYS[i], ARGV[arg + 2], 'PX', ARGV[arg + 3])
  arg = arg + 3
end
key = sets

for i = 1, appends do
  key = key + 1
  local bytes = ARGV[arg + 1]
  if bytes == '' or redis.call('APPEND', KEYS[key], bytes) == #bytes or ARGV[arg + 3] ~= '' then
    redis.call('PEXPIRE', KEYS[key], ARGV[arg + 2])
  end
  arg = arg + 3
end

for i = 1, increments do
  key = key + 1
  if redis.call('INCR', KEYS[key]) == 1 then redis.call('PEXPIRE', KEYS[key], ARGV[arg + 1]) end
  arg = arg + 1
end

if removes > 0 then redis.call('UNLINK', unpack(KEYS, key + 1)) end
return 1
