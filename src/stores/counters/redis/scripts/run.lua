-- The run of this server, another one after each restart, and the line of its data, another one from each taking over on: a server that handed over and
-- took over again is in the same run, and lacks what was counted in between and did not reach it. If the server does not report them: '0' and ''.
local function runOf()
  local server, replication = redis.pcall('INFO', 'server'), redis.pcall('INFO', 'replication')
  local run = type(server) == 'string' and string.match(server, 'run_id:(%x+)') or '0'
  return run, type(replication) == 'string' and string.match(replication, 'master_replid:(%x+)') or ''
end
-- Both in one, for what is of no use after either has changed.
local function holdOf()
  local run, line = runOf()
  return run .. line
end
