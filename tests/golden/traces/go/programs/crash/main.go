// A nil pointer in C, behind the bridge.
package main

/*
static int deref(int *p) { return *p; }
*/
import "C"

func read(p *C.int) int { return int(C.deref(p)) }

func main() { println(read(nil)) }
