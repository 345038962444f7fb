/** The child of listener-copies.ts: sends the descriptor that it gets back as often as it is told, and ends with its parent’s word. */
import type { Server } from 'node:net';

const count = Number(process.env['COPIES'] ?? 0);

// Each copy leaves once the one before was taken: without a listener the child would end after the first.
process.on('message', (_message, handle) => {
  for (let n = 0; n < count; n += 1) process.send?.('copy', handle as Server, { keepOpen: true });
});
