/**
 * What was opened one after the other and is closed in the reverse order, each when the one before it has closed. Closing again closes
 * what was opened since.
 */
export interface Closers {
  /** Adds what closes the thing that was opened last. */
  push(close: () => Promise<void>): void;
  /** Closes everything; rejects with the first failure, and what was opened earlier then stays open. */
  close(): Promise<void>;
}

export function createClosers(): Closers {
  const opened: (() => Promise<void>)[] = [];
  return {
    push: (close) => void opened.push(close),
    close: async () => {
      for (const close of opened.splice(0).reverse()) await close();
    },
  };
}
