-- Keeps histories of subjects. KEYS[1] the project’s tag; ARGV: see arguments.ts.
for before = heads, #ARGV - 1, stride do
  local version = ARGV[before + item.version]
  local key = KEYS[1] .. 'o:' .. ARGV[before + item.subject]
  local known = redis.call('GET', key)
  if not known or tonumber(string.match(known, '^%S+')) < tonumber(version) then
    redis.call('SET', key, version .. ' ' .. ARGV[before + item.value], 'PX', bounds.historyMs)
  end
end
return 'published'
