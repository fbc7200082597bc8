<?php
// Two previous exceptions; closures, a static call, long and odd arguments.
namespace Shop;

require __DIR__ . '/src/Repository.php';
require __DIR__ . '/vendor/acme/http/src/Client.php';

final class CheckoutFailed extends \RuntimeException {}

function checkout(array $order, \Closure $log): void
{
    try {
        array_map(fn (string $sku) => Repository::open('main')->find($sku, $order), $order['skus']);
    } catch (RepositoryError $e) {
        throw new CheckoutFailed("订单 {$order['id']} 无法提交", 42, $e);
    }
}

checkout(['id' => 4711, 'skus' => ["a very long stock keeping unit's name", 'B-7']], function (): void {});
