;; Clojure: an error with data, wrapped, thrown through a lazy sequence and a protocol.
(ns shop.ledger)

(defprotocol Priced (price [this order]))

(defrecord Table [rows]
  Priced
  (price [_ order]
    (or (get rows (:id order))
        (throw (ex-info "订单没有价格" {:order (:id order) :kind :missing})))))

(defn total [table orders]
  (reduce + (map (fn [order] (price table order)) orders)))

(defn -main []
  (try
    (total (->Table {7 10}) [{:id 7} {:id 42}])
    (catch Exception e
      (throw (RuntimeException. "checkout failed" e)))))

(.printStackTrace (try (-main) (catch Exception e e)))
(-main)
