const orders = [
  { id: 1 },
  { id: 2
];
