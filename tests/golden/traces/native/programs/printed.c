/* Prints its own stack with glibc, as servers do when they crash. */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void report(int number) {
    void *frames[64];
    int size = backtrace(frames, 64);
    dprintf(2, "caught signal %d\n", number);
    backtrace_symbols_fd(frames, size, 2);
    _exit(1);
}

int leaf(int *at) {
    return *at;
}

static int hidden(int *at) {
    return leaf(at) + 1;
}

int mid(int *at) {
    return hidden(at) + 1;
}

int main(void) {
    signal(SIGSEGV, report);
    return mid(NULL);
}
