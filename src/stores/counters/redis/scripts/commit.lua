-- Writes what a step of counting ends with, all or nothing; only the table of bands is there already. KEYS: that table and its generation, then those that are set, that
-- are added to, counted up, a table of cells, and those that are removed. ARGV: how many of each there are, and of the set ones how many must still be what they were; then what is written. Answers 1, or 0
-- if a value is another one by now.
local tables, sets, checked, appends, increments, counted, removes = string.byte(ARGV[1], 1, 7)
local key, arg = 2 * tables, 1

if tables > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
  arg = 3
end

if checked > 0 then
  local current = redis.call('MGET', unpack(KEYS, key + 1, key + checked))
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

for i = 1, appends do
  local expected = ARGV[arg + 3 * sets + 4 * i]
  if expected ~= '' and redis.call('GETRANGE', KEYS[key + sets + i], '0', '1') ~= expected then return 0 end
end

for i = key + 1, key + sets do
  redis.call('SET', KEYS[i], ARGV[arg + 2], 'PX', ARGV[arg + 3])
  arg = arg + 3
end
key = key + sets

for i = key + 1, key + appends do
  local bytes = ARGV[arg + 1]
  if bytes == '' or redis.call('APPEND', KEYS[i], bytes) == #bytes or ARGV[arg + 3] ~= '' then
    redis.call('PEXPIRE', KEYS[i], ARGV[arg + 2])
  end
  arg = arg + 4
end
key = key + appends

for i = key + 1, key + increments do
  arg = arg + 1
  if redis.call('INCR', KEYS[i]) == 1 then redis.call('PEXPIRE', KEYS[i], ARGV[arg]) end
end

key = key + increments

if counted > 0 then
  key = key + 1
  addCells(KEYS[key], ARGV[arg + 1], ARGV[arg + 2])
end

if removes > 0 then redis.call('UNLINK', unpack(KEYS, key + 1)) end
return 1
