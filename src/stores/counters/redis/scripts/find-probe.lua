-- Reads the kept probe of a session. KEYS[1] the project's tag; ARGV: see arguments.ts. Answers nothing when there is none.
enter(ARGV[argument.now], ARGV[argument.session], '')
local probe = readProbe()
if not probe then return {} end
return { probe.device, unpack(probe.contents) }
