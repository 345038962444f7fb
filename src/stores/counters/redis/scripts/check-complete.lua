-- Whether a project is still complete. KEYS[1] the tag of the project or of its mode. Answers 'complete', or up to when it was, or ''.
local base, now = KEYS[1], ARGV[argument.now]
if redis.call('EXISTS', base .. 'complete') == 0 then return redis.call('GET', base .. 'lost') or '' end
local run, line = runOf()
local upTo = lostSince(base, run, line)
if upTo then
  redis.call('SET', base .. 'lost', upTo, 'PX', bounds.completeMs)
  redis.call('DEL', base .. 'complete', base .. 'epoch', base .. 'rebuild', base .. 'rebuilt')
  return upTo
end
noteComplete(base, now, run, line)
return 'complete'
