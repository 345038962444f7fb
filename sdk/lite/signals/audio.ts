/** How sound is computed: the sum of a rendered buffer, which no one hears. */
import { round } from '../sample.js';
import type { Reader } from '../types.js';

export const readAudio: Reader<'gfx'> = async () => {
  const context = new OfflineAudioContext(1, 5000, 44100);
  const oscillator = context.createOscillator();
  const compressor = context.createDynamicsCompressor();
  oscillator.type = 'triangle';
  oscillator.frequency.value = 1e4;
  oscillator.connect(compressor).connect(context.destination);
  oscillator.start();
  const samples = (await context.startRendering()).getChannelData(0);
  return { audio: round(samples.slice(4500).reduce((sum, sample) => sum + Math.abs(sample), 0) * 1e6) / 1e6 };
};
