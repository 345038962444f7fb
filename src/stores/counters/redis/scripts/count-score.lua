-- One scoring call, counted in one step. KEYS[1] the project’s tag; ARGV as named below, then the limits.
-- Answers: what happened, what had been used of each limit, and the record: for `counted` without its content, which
-- the caller has; for `replayed` whole, as it was stored.
local allowed, used = takeRates(base, 18)
if not allowed then return { 'limited', cmsgpack.pack(used), '' } end

local fingerprint, receiptId, content = ARGV[3], ARGV[4], ARGV[5]
local scope, respondent, device, address, prefix = ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local source, deviceClass, shared, signature = ARGV[11], ARGV[12], ARGV[13] == '1', ARGV[14]

local probe, version = readProbe()
readGuard()
local replayId = findReplay(fingerprint, version)
if replayId then
  local recorded = redis.call('GET', base .. 'q:' .. replayId)
  if recorded then return { 'replayed', cmsgpack.pack(used), recorded } end
end

if device == '' and probe then device = probe.device end
local hasDevice, hasRespondent = device ~= '', respondent ~= ''
local newToPrefix = admit('p' .. scope .. prefix)
local velocity = {
  hasDevice and perHour('d' .. device, admit('d' .. scope .. device)),
  hasDevice and seen('dr' .. device, respondent, bounds.dayMs),
  hasRespondent and perHour('r' .. respondent, admit('r' .. scope .. respondent)),
  hasRespondent and seen('rd' .. respondent, device, bounds.weekMs),
  seenBySlot('ad' .. address, device),
  seenBySlot('ar' .. address, respondent),
  perSlot('a' .. address, admit('a' .. scope .. address)),
  perSlot('p' .. prefix, newToPrefix),
  perHour('p' .. prefix, newToPrefix),
  sourceRate(source),
  probe ~= nil and probe.sketch ~= '' and termRates(probe.cells),
}
local candidates, records, neighborhood = relate(respondent, device, address, prefix, deviceClass, shared, probe)
local signatureFresh = claimSignature(signature)
noteReplay(fingerprint, version, receiptId)
writeGuard()

local warm, histories = readHistory({ ARGV[15], ARGV[16], ARGV[17] })
local meta = { receiptId, orFalse(device), signatureFresh, velocity, neighborhood, candidates,
  probe and { probe.seq, probe.load ~= false, probe.update ~= false, orFalse(probe.device) } or false, warm, histories }
local parts = { cmsgpack.pack(meta) }
if probe then
  parts[2], parts[3], parts[4], parts[5] = probe.load or '', probe.update or '', probe.sketch, probe.index
end
for i = 1, #records do
  parts[#parts + 1] = records[i]
end
local record = frame(parts)
redis.call('SET', base .. 'q:' .. receiptId, frame({ content }) .. record, 'PX', bounds.receiptMs)
return { 'counted', cmsgpack.pack(used), record }
