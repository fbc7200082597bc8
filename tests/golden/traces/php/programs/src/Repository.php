<?php
namespace Shop;

class RepositoryError extends \RuntimeException {}

class Repository
{
    private function __construct(private string $name) {}

    public static function open(string $name): static
    {
        return new static($name);
    }

    public function find(string $sku, array $order): object
    {
        try {
            return (new \Acme\Http\Client())->get("/stock/$sku", null, 1.5, true);
        } catch (\UnexpectedValueException $e) {
            throw new RepositoryError("Stock of $sku is unknown,\nasked in {$this->name}", 0, $e);
        }
    }
}
