// GraphQL: an error with locations and path, around the resolver's own.
const { graphql, buildSchema } = require('graphql');
const schema = buildSchema('type Query { order(id: ID): Order } type Order { total: Float }');
const rootValue = { order: ({ id }) => ({ total() { return BigInt(id).price.amount; } }) };
graphql({ schema, source: '{ order(id: "7") { total } }', rootValue }).then(({ errors }) => {
  console.error(errors[0]);
  console.error(errors[0].originalError.stack);
});
