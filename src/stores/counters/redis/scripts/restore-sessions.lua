-- Counts sessions that were counted before and lost. KEYS[1] the project’s tag; ARGV: see
-- argument-layouts.ts.
local calledAt = tonumber(ARGV[argument.calledAt])
for before = heads, #ARGV - 1, stride do
  local function given(name) return ARGV[before + item[name]] end
  enter(given('now'), given('session'), given('scope'), calledAt)
  local index = cmsgpack.unpack(given('index'))
  local s = {
    respondent = given('respondent'), device = given('device'), address = given('address'), prefix = given('prefix'),
    source = given('source'), deviceClass = given('deviceClass'), shared = given('addressShared') == '1',
    host = given('host'), token = given('token'),
    sketch = given('sketch'), bands = index[1], cells = index[2],
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
