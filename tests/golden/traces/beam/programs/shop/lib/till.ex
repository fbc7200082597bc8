defmodule Shop.NoStockError do
  defexception [:message]
end

defmodule Shop.Till do
  def pay(%{total: total}), do: charge(total)

  defp charge(total) when total > 0, do: total
  defp charge(total) when is_integer(total), do: raise(ArgumentError, "total must be positive, got: #{total}")

  def refund(order), do: order |> items() |> Enum.map(fn item -> item.price * item.count end)
  def items(%{items: items}), do: items

  def receipt(order) do
    try do
      {:ok, :erlang.binary_to_integer(order.number)}
    rescue
      e in ArgumentError -> reraise Shop.NoStockError, [message: "no stock for order\nasked: 3, left: 1 (#{e.message |> String.slice(0, 6)})"], __STACKTRACE__
    end
  end

  def match(x), do: ({:ok, _} = x; :done)
  def deep(0), do: :lists.nth(7, [1])
  def deep(n), do: 1 + deep(n - 1)
end

defmodule Shop.Desk do
  use GenServer
  def start_link(arg), do: GenServer.start_link(__MODULE__, arg, name: __MODULE__)
  def init(arg), do: {:ok, arg}
  def handle_call({:pay, order}, _from, state), do: {:reply, Shop.Till.pay(order), state}
  def handle_cast(:boom, state), do: (Shop.Till.match(:error); {:noreply, state})
end
