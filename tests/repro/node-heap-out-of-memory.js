// Run: node --max-old-space-size=64 node-heap-out-of-memory.js (Node 20)
const kept = []
for (let i = 0; ; i++) kept.push({ i, text: 'x'.repeat(100) + i })
