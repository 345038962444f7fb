/** Each signal alone fills the fields that docs/reference/probe-data.md says it fills, and no others. */
import { signalsOfFields } from '../../../scripts/probe-data.js';
import { testInBrowser } from '../../helpers/lite-page.js';

const signals = Object.values(signalsOfFields).flatMap((group) => Object.keys(group));

testInBrowser('a signal that is omitted leaves out the fields that the page of the data names', async (t, browser) => {
  t.equal(new Set(signals).size, signals.length);
  for (const [group, fillers] of Object.entries(signalsOfFields)) {
    for (const [name, { fields }] of Object.entries(fillers)) {
      const others = signals.filter((other) => other !== name);
      const { page, waitForLoad } = await browser.open({
        attributes: `data-project-key="pk_test" data-session-id="session-1" data-timeout-ms="60000" data-without="${others.join(' ')}"`,
      });
      const readOnce = others.filter((other) => !listeners.includes(other));
      const { body } = await waitForLoad(readOnce);
      const sent = Object.entries(body).filter(([key]) => key in signalsOfFields);
      t.strictSame(
        sent.map(([key]) => key),
        [group],
        `${name} fills ${group}`,
      );
      if (fields !== '') t.strictSame(Object.keys(sent[0]?.[1] as object).sort(), fields.split(' ').sort(), name);
      await page.close();
    }
  }
});

/** They have no gap. */
const listeners = ['page', 'pointer', 'clicks', 'keyboard', 'wheel', 'touch', 'trust'];
