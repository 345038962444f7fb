/**
 * The models of a mount. They begin to load while consent is read, so that nobody waits for them in front of the camera: not before the page
 * itself has loaded, and not if the browser saves data. Whoever declines stops the load.
 */
import type { Camera, ModelsRequest, Preparation } from './ports.js';

export interface ModelLoader {
  /** Loads ahead of `take`. */
  begin(): void;
  /** The models for one capture. Rejects if the camera part cannot be loaded. */
  take(): Promise<Preparation>;
  /** Stops what was begun and not taken. */
  drop(): void;
}

export interface LoadingPage {
  readonly savesData: boolean;
  /** Calls back once the page has loaded; the returned function takes that back. */
  afterLoad(work: () => void): () => void;
}

export function createModelLoader(
  loadCamera: () => Promise<Camera>,
  request: () => ModelsRequest,
  { savesData, afterLoad }: LoadingPage,
): ModelLoader {
  let begun: Promise<Preparation> | null = null;
  let forget = (): void => undefined;
  const start = () => loadCamera().then((camera) => camera.prepare(request()));
  const release = () => {
    forget();
    const released = begun;
    begun = null;
    return released;
  };
  return {
    begin() {
      if (savesData) return;
      forget = afterLoad(() => {
        begun ??= start();
        // Tried again by the capture.
        begun.catch(() => (begun = null));
      });
    },
    take: () => release() ?? start(),
    drop() {
      void release()?.then(
        (preparation) => preparation.close(),
        () => undefined,
      );
    },
  };
}
