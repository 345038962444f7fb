-- Up to when a project was seen complete, in which run of its server and in which line of its data. The line is '' where the server does not report one.
local function noteComplete(base, now, run, line)
  redis.call('SET', base .. 'epoch', run .. ' ' .. line .. ' ' .. now, 'PX', bounds.candidateMs)
end
-- Nil if nothing is missing, or nothing was noted; otherwise up to when all was there.
local function lostSince(base, run, line)
  local ofRun, ofLine, upTo = string.match(redis.call('GET', base .. 'epoch') or '', '^(%x+) (%x*) (%d+)$')
  if not ofRun or (ofRun == run and (ofLine == line or ofLine == '' or line == '')) then return nil end
  return upTo
end
