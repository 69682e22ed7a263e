export { nodeIo } from './io.js';
export { run } from './main.js';
