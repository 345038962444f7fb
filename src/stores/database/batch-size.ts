/** How much a writer takes at once: less after a failure, which may have been a deadline, and more again after each success. */
const shrinkBy = 4;
const growBy = 2;

export interface BatchSize {
  current(): number;
  succeeded(): void;
  /** `tried`: how much there was; less than the size, where so much did not come. */
  failed(tried: number): void;
}

export function createBatchSize(most: number): BatchSize {
  let size = most;
  return {
    current: () => size,
    succeeded: () => {
      size = Math.min(most, size * growBy);
    },
    failed: (tried) => {
      size = Math.max(1, Math.floor(Math.min(size, tried) / shrinkBy));
    },
  };
}
