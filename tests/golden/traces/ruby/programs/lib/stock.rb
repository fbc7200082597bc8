module Shop
  class OutOfStock < StandardError; end

  class Stock
    Row = Struct.new(:sku, :count)

    def reserve(line)
      find(line[:sku]).count.then { |count| Integer(count) }
    rescue ArgumentError => e
      raise OutOfStock, "nothing left of #{line[:sku]}"
    end

    private

    def find(sku) = Row.new(sku, "none")
  end
end
