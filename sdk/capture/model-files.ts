/** The files that this bundle accepts, with their hashes: scripts/build-sdk.mjs writes them in while it builds. */
import type { ModelFile } from './protocol.js';

declare const __MODEL_FILES__: Readonly<Record<string, ModelFile>>;

export const modelFiles = __MODEL_FILES__;
export const workerKey = 'capture-worker.js';
