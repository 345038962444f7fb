/**
 * Every signal of the probe, by the name of its file, with the group of the message that it fills.
 * A file that is not listed here is not read; a test compares this table with the folder.
 */
import { readAgent } from './signals/agent.js';
import { readAudio } from './signals/audio.js';
import { readAutomation } from './signals/automation.js';
import { readCanvas } from './signals/canvas.js';
import { watchClicks } from './signals/clicks.js';
import { readDebugging } from './signals/debugging.js';
import { readDisplay } from './signals/display.js';
import { readEnvironment } from './signals/environment.js';
import { readFonts } from './signals/fonts.js';
import { readFrames } from './signals/frames.js';
import { readGraphics } from './signals/graphics.js';
import { readHardware } from './signals/hardware.js';
import { watchKeyboard } from './signals/keyboard.js';
import { readLocale } from './signals/locale.js';
import { readNatives } from './signals/natives.js';
import { watchPage } from './signals/page.js';
import { watchPointer } from './signals/pointer.js';
import { readStorage } from './signals/storage.js';
import { watchTouch } from './signals/touch.js';
import { watchTrust } from './signals/trust.js';
import { watchWheel } from './signals/wheel.js';
import { readWorker } from './signals/worker.js';
import type { Readers, Watchers } from './types.js';

/** Signals read once. Those that wait come first, so that they wait together; those that draw come last. */
export const readers: Readers = {
  worker: ['lies', readWorker],
  agent: ['ua', readAgent],
  frames: ['lies', readFrames],
  debugging: ['auto', readDebugging],
  automation: ['auto', readAutomation],
  natives: ['lies', readNatives],
  hardware: ['hw', readHardware],
  display: ['scr', readDisplay],
  locale: ['loc', readLocale],
  storage: ['ids', readStorage],
  environment: ['env', readEnvironment],
  graphics: ['gfx', readGraphics],
  audio: ['gfx', readAudio],
  canvas: ['gfx', readCanvas],
  fonts: ['env', readFonts],
};

/** Signals that accumulate while the page lives. */
export const watchers: Watchers = {
  page: ['page', watchPage],
  pointer: ['beh', watchPointer],
  clicks: ['beh', watchClicks],
  keyboard: ['beh', watchKeyboard],
  wheel: ['beh', watchWheel],
  touch: ['beh', watchTouch],
  trust: ['beh', watchTrust],
};
