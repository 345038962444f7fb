-- One scoring call, counted in one step. KEYS[1] the tag of the project or of its mode; ARGV: see arguments.ts.
-- Answers what happened, what had been used of each limit, and the receipt as it is stored, now or already, or, released, its id; then the
-- sketch, the index and, a pair for each page, load and update of the probe.
enter(ARGV[argument.now], ARGV[argument.session], ARGV[argument.scope])
local fingerprint, receiptId, content, idempotency = ARGV[argument.fingerprint], ARGV[argument.receiptId], ARGV[argument.content], ARGV[argument.idempotency]
local probe, version = readProbe()
local s = {
  respondent = ARGV[argument.respondent], device = ARGV[argument.device], address = ARGV[argument.address], prefix = ARGV[argument.prefix],
  source = ARGV[argument.source], deviceClass = ARGV[argument.deviceClass], shared = ARGV[argument.addressShared] == '1',
  host = ARGV[argument.host], token = probe and probe.device or '',
  sketch = probe and probe.sketch or '', bands = probe and probe.bands or {}, offsets = probe and probe.offsets,
}
if s.device == '' and probe then s.device = probe.device end

-- Everything that has a name before it is read is read at once.
local limitKeys = rateKeys(home)
wantSession(s)
wantHistory(s.device)
local limitsFrom = wanted + 1
for i = 1, #limitKeys do
  want(limitKeys[i])
end
local read = readAll()
local allowed, used = takeRates(limitKeys, read, limitsFrom)
if not allowed then return { 'limited', used } end
local complete = isComplete(read[completeAt])
readGuard(read[guardAt])
local promisedFor, promised = findPromised(idempotency)
if promised and promisedFor ~= fingerprint then return { 'conflict', used } end
local replayId, givenAt = promised, nil
if not replayId then replayId, givenAt = findReplay(fingerprint, version) end
if replayId then
  local stored = redis.call('GET', base .. 'q:' .. replayId)
  if stored or replayId ~= ARGV[argument.gone] then
    if not promised then notePromised(idempotency, fingerprint, replayId, givenAt) end
    if not stored then return { 'released', used, replayId } end
    return { 'replayed', used, readReceipt(stored) }
  end
end
local supersedes = guard[4][1] and guard[4][1][3]

local figures, neighborhood, candidates, records, source, terms = countSession(s, read)
local signatureFresh = claimSignature(ARGV[argument.signature])
noteReplay(fingerprint, version, receiptId)
notePromised(idempotency, fingerprint, receiptId, now)
writeGuard()

local named = ''
local numbers = { receiptId, s.device ~= '' and s.device, signatureFresh, figures, neighborhood, candidates, false,
  complete, readHistory(read), supersedes or false, source, terms }
if probe then
  holdProbe(probe)
  named = session .. ' ' .. probe.names
  numbers[7] = { probe.device ~= '' and probe.device }
end
local record = joinReceipt(named, content, cmsgpack.pack(numbers), records)
redis.call('SET', base .. 'q:' .. receiptId, record, 'PX', bounds.receiptMs)
if not probe then return { 'counted', used, record } end
return { 'counted', used, record, unpack(probe.contents) }
