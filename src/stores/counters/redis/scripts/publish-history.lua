-- Keeps histories of subjects. KEYS[1] the project’s tag; ARGV: (subject, version, value) of each.
for i = 1, #ARGV, 3 do
  local key = KEYS[1] .. 'o:' .. ARGV[i]
  local known = redis.call('GET', key)
  if not known or tonumber(string.match(known, '^%S+')) < tonumber(ARGV[i + 1]) then
    redis.call('SET', key, ARGV[i + 1] .. ' ' .. ARGV[i + 2], 'PX', bounds.historyMs)
  end
end
return 'published'
