/**
 * The camera: opened once, described, and closed. A camera that does not open is reported in the contract’s terms: `unavailable` if nobody
 * can change it, `refused` if the respondent or another program decided it.
 */
import type { EnvelopeCamera } from '../../src/contract/envelope.js';

export type Opened =
  | { readonly kind: 'open'; readonly stream: MediaStream; readonly track: MediaStreamTrack }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: 'denied' | 'busy' | 'dismissed'; readonly name: string };

const constraints: MediaStreamConstraints = {
  audio: false,
  video: {
    facingMode: { ideal: 'user' },
    width: { ideal: 640 },
    height: { ideal: 480 },
    frameRate: { ideal: 30, max: 30 },
  },
};

/** Most camera labels that are reported. */
const labelsMax = 16;
const labelLengthMax = 256;

/** Resolves however it ends; a stream that comes after `signal` was aborted is stopped at once. */
export async function openCamera(signal: AbortSignal): Promise<Opened> {
  if (!isSecureContext) return { kind: 'unavailable', reason: 'SecurityError' };
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (devices?.getUserMedia === undefined || !canLook()) return { kind: 'unavailable', reason: 'unknown_capability' };
  try {
    const stream = await devices.getUserMedia(constraints);
    const [track] = stream.getVideoTracks();
    if (track === undefined || signal.aborted) {
      stopStream(stream);
      return { kind: 'unavailable', reason: track === undefined ? 'NotFoundError' : 'AbortError' };
    }
    return { kind: 'open', stream, track };
  } catch (error) {
    return explain(error);
  }
}

/** The browser’s means to analyze frames away from the page’s own thread. */
const canLook = (): boolean =>
  typeof Worker === 'function' &&
  typeof WebAssembly === 'object' &&
  typeof OffscreenCanvas === 'function' &&
  typeof createImageBitmap === 'function';

async function explain(error: unknown): Promise<Opened> {
  const name = error instanceof Error || error instanceof DOMException ? error.name : 'UnknownError';
  switch (name) {
    case 'NotAllowedError': {
      const message = error instanceof Error ? error.message : '';
      const dismissed = /dismiss/i.test(message) || (await readPermission()) === 'prompt';
      return { kind: 'refused', reason: dismissed ? 'dismissed' : 'denied', name };
    }
    // The device is there, and does not start: another program has it, or it failed.
    case 'NotReadableError':
    case 'TrackStartError':
    case 'AbortError':
      return { kind: 'refused', reason: 'busy', name };
    default:
      return { kind: 'unavailable', reason: /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) ? name : 'UnknownError' };
  }
}

/** After a refusal, `prompt` means that the question was closed without an answer. null if the browser does not report it. */
async function readPermission(): Promise<PermissionState | null> {
  try {
    return (await navigator.permissions.query({ name: 'camera' })).state;
  } catch {
    return null;
  }
}

export function stopStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** The browser’s description of an open camera. */
export async function describeCamera(track: MediaStreamTrack): Promise<EnvelopeCamera> {
  const settings = track.getSettings();
  const labels = await listLabels();
  return {
    label: track.label.slice(0, labelLengthMax),
    labels,
    facing: readFacing(settings.facingMode),
    width: whole(settings.width),
    height: whole(settings.height),
    frameRate: settings.frameRate !== undefined && settings.frameRate <= 1_000 ? settings.frameRate : null,
    capabilities: countCapabilities(track),
  };
}

const whole = (pixels: number | undefined): number | null =>
  pixels !== undefined && pixels >= 1 && pixels <= 16_384 ? Math.round(pixels) : null;

function readFacing(mode: string | undefined): NonNullable<EnvelopeCamera['facing']> | null {
  const known = ['user', 'environment', 'left', 'right'] as const;
  return known.find((each) => each === mode) ?? null;
}

function countCapabilities(track: MediaStreamTrack): number | null {
  // Firefox has had the method only since 132.
  const read = track.getCapabilities as (() => object) | undefined;
  return read === undefined ? null : Math.min(100, Object.keys(read.call(track)).length);
}

async function listLabels(): Promise<string[]> {
  try {
    const devices = await navigator.mediaDevices.enumerateDevices();
    return devices
      .filter(({ kind, label }) => kind === 'videoinput' && label !== '')
      .slice(0, labelsMax)
      .map(({ label }) => label.slice(0, labelLengthMax));
  } catch {
    return [];
  }
}
