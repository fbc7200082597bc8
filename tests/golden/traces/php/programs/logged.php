<?php
// What programs make of an exception: Monolog's record as Laravel writes it, one line with escaped breaks, a printed backtrace.
require __DIR__ . '/src/Repository.php';
require __DIR__ . '/vendor/acme/http/src/Client.php';

function described(Throwable $e): string
{
    $text = '[object] (' . get_class($e) . '(code: ' . $e->getCode() . '): ' . $e->getMessage() . ' at ' . $e->getFile() . ':' . $e->getLine() . ")\n[stacktrace]\n" . $e->getTraceAsString() . "\n";
    $previous = $e->getPrevious();
    return $previous === null ? $text : $text . "\n[previous exception] " . described($previous);
}

function job(): void
{
    debug_print_backtrace();
    Shop\Repository::open('jobs')->find('C-3', ['x' => new stdClass()]);
}

try {
    (function () { job(); })();
} catch (Throwable $e) {
    echo '[2024-05-07 10:00:00] production.ERROR: ', $e->getMessage(), ' {"userId":7,"exception":"', described($e), "\"} \n";
    echo '[2024-05-07 10:00:01] production.INFO: next {"job":8}', "\n";
    echo '[Tue May 07 10:00:02.123456 2024] [php:error] [pid 4711] [client 10.0.0.9:51234] PHP Fatal error:  Uncaught ', str_replace("\n", '\n', (string) $e), "\\n  thrown in {$e->getFile()} on line {$e->getLine()}, referer: https://shop.example.com/cart\n";
}
