/** Cores, memory, touch points and platform, as the navigator reports them. */
import type { Reader } from '../types.js';

export const readHardware: Reader<'hw'> = () => ({
  cores: navigator.hardwareConcurrency ?? null,
  memory: (navigator as { deviceMemory?: number }).deviceMemory ?? null,
  touch: navigator.maxTouchPoints ?? null,
  platform: navigator.platform ?? null,
});
