package shop

import "testing"

func TestOrder(t *testing.T) {
	t.Run("last line", func(t *testing.T) {
		if (Order{Lines: []int{1}}).Line(1) != 0 {
			t.Fatal("not empty")
		}
	})
}
