// Package shop holds what the programs beside it fail in.
package shop

// Cache is generic: its instantiations are printed with [...].
type Cache[K comparable, V any] struct {
	items map[K]*V
}

// Must gives the value, and fails without it.
func (c *Cache[K, V]) Must(key K) V {
	return *c.items[key]
}

// Map is a generic function that calls back.
func Map[T, U any](list []T, each func(T) U) []U {
	found := make([]U, 0, len(list))
	for _, item := range list {
		found = append(found, each(item))
	}
	return found
}

// Order is paid through a method value.
type Order struct{ Lines []int }

// Line fails behind the last line.
func (o Order) Line(at int) int { return o.Lines[at] }
