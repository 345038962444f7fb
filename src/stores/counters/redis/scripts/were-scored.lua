-- Reports which sessions still have their guard, as 1 and 0. KEYS[1] the tag of the project or of its mode; items of ARGV: the sessions.
local base, answers = KEYS[1], {}
for i = 1, #ARGV do
  answers[i] = redis.call('EXISTS', base .. 's:' .. ARGV[i])
end
return answers
