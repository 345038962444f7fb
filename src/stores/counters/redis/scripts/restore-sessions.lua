-- Counts sessions that were counted before and lost. KEYS[1] the project’s tag; ARGV: the time of the call, then
-- (time, session, scope, respondent, device, address, prefix, source, class, shared, sketch, index) of each session.
local calledAt = tonumber(ARGV[1])
for i = 2, #ARGV, 12 do
  enter(ARGV[i], ARGV[i + 1], ARGV[i + 2], calledAt)
  local index = cmsgpack.unpack(ARGV[i + 11])
  local s = {
    respondent = ARGV[i + 3], device = ARGV[i + 4], address = ARGV[i + 5], prefix = ARGV[i + 6], source = ARGV[i + 7],
    deviceClass = ARGV[i + 8], shared = ARGV[i + 9] == '1', sketch = ARGV[i + 10], bands = index[1], cells = index[2],
  }
  local keys, reads, names = sessionKeys(s), {}, {}
  for name, key in pairs(keys) do
    reads[#reads + 1] = key
    names[#reads] = name
  end
  local read = {}
  for j, value in ipairs(redis.call('MGET', unpack(reads))) do
    read[names[j]] = value
  end
  readGuard(read.guard)
  countSession(s, keys, read)
  writeGuard()
end
return 'restored'
