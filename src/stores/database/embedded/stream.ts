/**
 * A byte stream to the embedded database’s thread, used by pg as its socket. Writes of one tick go out as one message, answered as one. If
 * the thread dies, the stream is destroyed with the reason, and pg rejects what was in flight.
 */
import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { EmbeddedThreadMessage } from './thread.js';

/** Asks the thread to shut the cluster down in good order. */
export const closeRequest = 'close';

export class EmbeddedStream extends Duplex {
  readonly #worker: Worker;
  #pending: Buffer[] = [];

  constructor(worker: Worker) {
    super();
    this.#worker = worker;
    worker.on('message', (message: EmbeddedThreadMessage) => {
      if (message instanceof Uint8Array) this.push(Buffer.from(message.buffer, message.byteOffset, message.byteLength));
    });
    worker.once('error', (error) => this.destroy(error));
    worker.once('exit', (code) =>
      this.destroy(new Error(`connection lost: the database thread ended with code ${code}`)),
    );
  }

  /** Called by pg in place of a socket's connect. */
  connect(): this {
    setImmediate(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#worker.ref();
    return this;
  }

  unref(): this {
    this.#worker.unref();
    return this;
  }

  override _read(): void {
    // Answers are pushed as they come.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#pending.push(chunk) === 1) process.nextTick(() => this.#flush());
    done();
  }

  #flush(): void {
    const joined = this.#pending.length === 1 ? new Uint8Array(this.#pending[0] ?? []) : joinBytes(this.#pending);
    this.#pending = [];
    this.#worker.postMessage(joined, [joined.buffer]);
  }
}

/** Buffer.concat may answer with a view on a shared pool, which cannot be transferred. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
