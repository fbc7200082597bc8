<?php
// Memory runs out in a recursion: a fatal error without a stack; then one with a deep stack.
function depth(int $n): int
{
    return $n > 30 ? intdiv(1, 0) : depth($n + 1) + 1;
}

try {
    depth(0);
} catch (DivisionByZeroError $e) {
    echo get_class($e), ': ', $e->getMessage(), "\n", $e->getTraceAsString(), "\n\n";
    echo $e, "\n";
}

ini_set('memory_limit', '4M');
$rows = [];
while (true) {
    $rows[] = str_repeat('x', 10000);
}
