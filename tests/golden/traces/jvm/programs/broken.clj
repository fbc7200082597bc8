;; Clojure: a name that nothing defines.
(ns shop.broken)

(defn total [orders]
  (reduce + (map prize orders)))
