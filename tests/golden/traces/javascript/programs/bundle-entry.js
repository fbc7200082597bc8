import { charge } from './src/charge.js';
charge({ user: null });
