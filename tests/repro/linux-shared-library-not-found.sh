#!/bin/sh
# Run: sh linux-shared-library-not-found.sh (gcc). A program is linked with a library in a folder that the loader does not look into.
dir=$(mktemp -d) && cd "$dir"
printf 'int till_total(void) { return 3; }\n' > lib.c && gcc -shared -fPIC -Wl,-soname,libtill.so.1 -o libtill.so.1 lib.c && ln -s libtill.so.1 libtill.so
printf 'int till_total(void); int main(void) { return till_total(); }\n' > main.c && gcc main.c -o till -L. -ltill
./till
