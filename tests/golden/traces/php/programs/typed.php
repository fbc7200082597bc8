<?php
// A TypeError that names the caller; reached through an anonymous class, __invoke and call_user_func.
interface Visitor {}

function price(int $cents, Visitor ...$visitors): string
{
    return number_format($cents / 100, 2);
}

$visitor = new class implements Visitor {
    public function __invoke(?string $cents): string
    {
        return price($cents);
    }
};

echo call_user_func($visitor, 'twelve');
