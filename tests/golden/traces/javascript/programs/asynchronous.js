// await through a class, a getter, a private method, Promise.all and a static initialiser's callback.
const orders = new Map([[1, { user: undefined }]]);
class Store {
  #find(id) { return orders.get(id).user.name; }
  async load(id) { await new Promise((r) => setTimeout(r, 1)); return this.#find(id); }
  get all() { return Promise.all([1].map((id) => this.load(id))); }
}
const service = { async names() { return await new Store().all; } };
service.alias = async function () { return await service.names(); };
(async () => { await service.alias(); })();
