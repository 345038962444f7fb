-- Up to when a project was seen to be there, once by the run of its server and once by the line of its data: versions that know no line write the first alone,
-- and must find nothing else in it.
local function noteWhole(base, now, run, line)
  redis.call('SET', base .. 'epoch', run .. ' ' .. now, 'PX', bounds.warmMs)
  if line ~= '' then redis.call('SET', base .. 'line', line .. ' ' .. now, 'PX', bounds.warmMs) end
end
-- Null where nothing is missing, or nobody has noted it; otherwise up to when all was there.
local function lostSince(base, run, line)
  local ofLine, upToLine = string.match(redis.call('GET', base .. 'line') or '', '^(%x+) (%d+)$')
  if ofLine and line ~= '' and ofLine ~= line then return upToLine end
  local ofRun, upToRun = string.match(redis.call('GET', base .. 'epoch') or '', '^(%x+) (%d+)$')
  return ofRun and ofRun ~= run and upToRun or nil
end
