-- Too deep a recursion: the interpreter leaves levels out.
local function depth(n)
  return 1 + depth(n + 1)
end

print(depth(1))
