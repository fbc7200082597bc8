#!/bin/sh
# Run: sh ld-undefined-reference.sh (gcc, g++, zlib's headers). A library that is not on the line, a function without a body, a virtual function without one.
dir=$(mktemp -d) && cd "$dir"
printf '#include <stdio.h>\n#include <zlib.h>\nint main(void) { puts(zlibVersion()); return 0; }\n' > z.c && gcc z.c -o z
printf 'int helper(int);\nint main() { return helper(2); }\n' > main.cpp && g++ main.cpp -o main
printf 'struct A { virtual ~A(); virtual void f(); };\nint main() { A a; }\n' > v.cpp && g++ v.cpp -o v
