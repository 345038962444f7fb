import { build } from 'esbuild';
import t, { type Test } from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { listContractErrors } from '../../helpers/lite-page.js';
import { bundle, scriptPath } from '../../helpers/probe-script.js';
import { readRepositoryFile, repositoryRoot } from '../../helpers/repository.js';
import { setUps, syntheticScript, type SetUp } from '../../helpers/set-ups.js';
import { startStaticSite } from '../../helpers/static-site.js';
import { pollUntil } from '../../helpers/wait-until.js';
import { joinMessages, listInputTells, listStaticTells } from '../../helpers/probe-findings.js';

/** The other library's verdict, from the same page load. */
const rival = `import { load } from '@fingerprintjs/botd';
load().then((botd) => fetch('/note', { method: 'POST', body: JSON.stringify(botd.detect()) }));`;

const rivalPath = '/rival.js';
const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium, Xvfb or xdotool is not installed';

/** Traces of one set-up, and the other library's verdict on it. */
async function measure(t: Test, setUp: SetUp, files: Record<string, string>) {
  const site = await startStaticSite({ files });
  t.teardown(() => site.close());
  await setUp.run(site);
  const verdict = (await pollUntil('the other verdict', () => site.notes[0])) as { bot: boolean };
  for (const { body } of site.probes) t.strictSame(listContractErrors(body), []);
  const joined = joinMessages(site.probes.map(({ body }) => body));
  if (!joined) throw new Error('no load message came');
  t.comment(
    JSON.stringify({
      setUp: setUp.name,
      static: listStaticTells(joined),
      input: listInputTells(joined),
      rival: verdict.bot ? 'bot' : 'human',
      beh: joined.beh,
    }),
  );
  return { statics: listStaticTells(joined), inputs: listInputTells(joined), isBotToRival: verdict.bot };
}

// A dozen browsers, one after the other.
t.setTimeout(300_000);

void t.test(
  'every automated set-up tells on itself, no person-like one does, and the other library sees fewer',
  { skip, timeout: 300_000 },
  async (t) => {
    const { outputFiles } = await build({
      stdin: { contents: rival, resolveDir: repositoryRoot },
      bundle: true,
      write: false,
      format: 'iife',
    });
    const page = readRepositoryFile('test/sdk/pages/survey.html');
    const files = {
      '/': page.replace('</body>', `<script>${syntheticScript}</script><script src="${rivalPath}"></script></body>`),
      [scriptPath]: bundle(),
      [rivalPath]: outputFiles[0]?.text ?? '',
    };
    let flagged = 0;
    let flaggedByRival = 0;
    for (const setUp of setUps) {
      await t.test(setUp.name, { timeout: 60_000 }, async (t) => {
        const { statics, inputs, isBotToRival } = await measure(t, setUp, files);
        if (setUp.isPerson) {
          t.strictSame([...statics, ...inputs], []);
          return;
        }
        t.ok(statics.length + inputs.length > 0);
        if (setUp.acts) t.ok(inputs.length > 0, 'its input tells');
        flagged++;
        flaggedByRival += +isBotToRival;
      });
    }
    t.ok(flagged > flaggedByRival, `${flagged} against ${flaggedByRival}`);
  },
);
