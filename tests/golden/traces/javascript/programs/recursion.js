// Two functions that call one another for ever.
function even(n) { return n === 0 ? true : odd(n - 1); }
function odd(n) { return even(n + 1); }
function main() { even(10); }
main();
