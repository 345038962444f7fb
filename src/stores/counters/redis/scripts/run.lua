-- The run of this server: another one after a restart, and another one on a replica that takes over. Where the server does not tell, always the same.
local function runOf()
  local told = redis.pcall('INFO', 'server')
  return type(told) == 'string' and string.match(told, 'run_id:(%x+)') or '0'
end
