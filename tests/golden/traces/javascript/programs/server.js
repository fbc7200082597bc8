// Express under a logger that prefixes the first line only, and one that prefixes every line.
const express = require('express');
const app = express();
const log = (level, text) => console.log(`2024-05-06T07:08:09.123Z [shop] ${level}: ${text}`);
const all = (text) => text.split('\n').forEach((line) => console.log(`[2024-05-06 07:08:09.124] [ERROR] shop - ${line}`));
class Cart { total(items) { return items.reduce((sum, i) => sum + i.price.amount, 0); } }
app.use(express.json());
app.get('/cart/:id', (req, res) => { res.send(String(new Cart().total([{ id: req.params.id }]))); });
app.post('/cart', (req, res) => res.send('ok'));
app.use((err, req, res, next) => {
  if (req.method === 'POST') all(err.stack); else log('error', `GET ${req.url} failed ${err.stack}`);
  res.status(500).end();
});
const server = app.listen(0, async () => {
  const url = `http://127.0.0.1:${server.address().port}/cart`;
  await fetch(`${url}/17`);
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":' });
  log('info', 'done');
  server.close();
});
