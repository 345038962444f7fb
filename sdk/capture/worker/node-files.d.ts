/** The functions with which the thread of the service reads its models. */
declare module 'node:fs/promises' {
  export function readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

declare module 'node:worker_threads' {
  export const workerData: unknown;
}
