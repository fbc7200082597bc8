export function charge(order) { return ['card', 'cash'].map((way) => fee(order, way)); }
const fee = (order, way) => order.user.fees[way];
