/** Messages between the page and the worker that looks at frames. Bytes and pictures are transferred, never copied. */

import type { FrameAnalysis, Summary } from './frame-analysis.js';

export interface ModelFile {
  /** Name below the base URL; carries a part of the hash. */
  readonly name: string;
  /** SHA-256, base64. */
  readonly sha256: string;
  readonly bytes: number;
}

export type ToWorker =
  | {
      readonly type: 'load';
      readonly baseUrl: string;
      readonly files: Readonly<Record<string, ModelFile>>;
      readonly demographics: boolean;
      /** A picture of the face is taken of each frame. */
      readonly takesPictures: boolean;
    }
  | { readonly type: 'analyze'; readonly bitmap: ImageBitmap }
  /** No frame comes any more: sum up. */
  | { readonly type: 'conclude' };

export type FromWorker =
  /** Progress of loading the models that analyze frames. */
  | { readonly type: 'progress'; readonly loaded: number; readonly total: number }
  /** Frames can be looked at. */
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'analyzed'; readonly analysis: FrameAnalysis }
  | { readonly type: 'concluded'; readonly summary: Summary };
