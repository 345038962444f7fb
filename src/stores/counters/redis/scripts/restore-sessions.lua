-- Counts sessions that were counted before and lost. KEYS[1] the project’s tag; ARGV: see
-- arguments.ts.
local calledAt = tonumber(ARGV[argument.calledAt])
for before = heads, #ARGV - 1, stride do
  enter(ARGV[before + item.now], ARGV[before + item.session], ARGV[before + item.scope], calledAt)
  local index = cmsgpack.unpack(ARGV[before + item.index])
  local s = {
    respondent = ARGV[before + item.respondent], device = ARGV[before + item.device], address = ARGV[before + item.address], prefix = ARGV[before + item.prefix],
    source = ARGV[before + item.source], deviceClass = ARGV[before + item.deviceClass], shared = ARGV[before + item.addressShared] == '1',
    host = ARGV[before + item.host], token = ARGV[before + item.token],
    sketch = ARGV[before + item.sketch], bands = index[1], offsets = index[2],
  }
  wantSession(s)
  local read = readAll()
  readGuard(read[guardAt])
  countSession(s, read)
  writeGuard()
end
return 'restored'
