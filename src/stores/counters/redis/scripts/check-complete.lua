-- Whether a project is still complete. KEYS[1] the tag of the project or of its mode; ARGV: now. Answers 'complete', or up to when it was, or ''.
local base, now = KEYS[1], ARGV[1]
if redis.call('EXISTS', base .. 'complete') == 0 then
  local lost = redis.call('GET', base .. 'lost')
  -- The mark of a project that is not scored ends after days, and what was counted is still there: counted again, it would be there twice.
  if lost or redis.call('EXISTS', base .. 'epoch') == 0 then return lost or '' end
end
local run, line = runOf()
local upTo = lostSince(base, run, line)
if upTo then
  redis.call('SET', base .. 'lost', upTo, 'PX', bounds.completeMs)
  redis.call('DEL', base .. 'complete', base .. 'epoch', base .. 'rebuild', base .. 'rebuilt')
  return upTo
end
redis.call('SET', base .. 'complete', now, 'PX', bounds.completeMs, 'NX')
noteComplete(base, now, run, line)
return 'complete'
