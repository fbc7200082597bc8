<?php
// Warnings, a notice, a deprecation, of which none ends the program; then a fatal error that is no exception.
function total(array $order)
{
    $sum = 0;
    foreach ($order['lines'] as $line) {
        $sum += $line['price'];
    }
    trigger_error('nothing in the order', E_USER_NOTICE);
    return $sum / count($order['lines'] ?? [1]);
}

total([]);
echo file_get_contents('/srv/shop-php/missing.json');
include 'src/absent.php';
strpos(null, 'x');
class Broken extends Missing\Parent_ {}
