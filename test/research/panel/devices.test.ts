import t from 'tap';
import { drawComputer } from '../../../research/panel/computers.js';
import { drawPhone, type Device } from '../../../research/panel/devices.js';
import { createDraw, type Draw } from '../../../research/panel/draw.js';

/** Share of devices of which no other looks the same; windows are sized at will and are no part of a look. */
function uniqueShare(drawDevice: (draw: Draw) => Device): number {
  const draw = createDraw(5);
  const looks = Array.from({ length: 10_000 }, () => {
    const { scr, ...body } = drawDevice(draw).body;
    return JSON.stringify([body, scr?.w, scr?.h, scr?.dpr]);
  });
  const counts = new Map<string, number>();
  for (const look of looks) counts.set(look, (counts.get(look) ?? 0) + 1);
  return [...counts.values()].filter((count) => count === 1).length / looks.length;
}

t.test('devices are as unique as published: two thirds of computers, two fifths of phones', (t) => {
  const [computers, phones] = [uniqueShare((draw) => drawComputer(draw)), uniqueShare((draw) => drawPhone(draw))];
  t.ok(Math.abs(computers - 0.66) < 0.1, `${computers}`);
  t.ok(Math.abs(phones - 0.4) < 0.06, `${phones}`);
  t.end();
});
