import t from 'tap';
import {
  readOptions,
  attributeOptions,
  optionRules,
  readAttributes,
  resolveEndpoint,
} from '../../../sdk/widget/settings.js';
import type { MountOptions } from '../../../sdk/widget/api.js';

t.test('what is no option is ignored, interactionType among it; what cannot be read is refused by name', (t) => {
  const given = { siteKey: 'proj_1', interactionType: 'slider', other: 1 } as MountOptions;
  t.strictSame(readOptions(given), { siteKey: 'proj_1' });
  t.throws(() => readOptions({ siteKey: 'proj_1', widgetMode: 'loud' } as unknown as MountOptions), {
    code: 'INVALID_OPTION',
    message: 'widgetMode must be one of invisible, captcha, standard.',
    recoverable: false,
  });
  t.throws(() => readOptions({} as MountOptions), { message: 'siteKey is needed.' });
  t.throws(() => readOptions({ siteKey: 5 } as unknown as MountOptions), { message: /siteKey must be/ });
  t.end();
});

t.test('attributes give the options of a mount; the mode has none', (t) => {
  const attributes: Record<string, string> = {
    'data-sitekey': 'proj_1',
    'data-study-id': 's',
    'data-respondent-id': 'r',
    'data-metadata': '{"a":1}',
    'data-theme': 'dark',
    'data-interaction': 'slider',
    'data-auto-start': '',
    'data-use-deepfake-detection': 'false',
    'data-widget-mode': 'invisible',
  };
  t.strictSame(
    readAttributes((name) => attributes[name] ?? null),
    {
      siteKey: 'proj_1',
      studyId: 's',
      respondentId: 'r',
      metadata: { a: 1 },
      autoStart: true,
      interaction: 'slider',
      widgetTheme: 'dark',
      useDeepfakeDetection: false,
    },
  );
  t.throws(() => readAttributes((name) => (name === 'data-metadata' ? '{' : null)), { code: 'INVALID_OPTION' });
  t.ok(Object.values(attributeOptions).every((name) => name in optionRules));
  t.end();
});

t.test('the API root: what the caller says, else that of the script, else the page’s; a package must be told', (t) => {
  const script = 'https://cdn.example/sdk/v1/verifyhuman.umd.js';
  t.equal(resolveEndpoint('https://api.example/api/v1/', script, 'page'), 'https://api.example/api/v1');
  t.equal(resolveEndpoint(undefined, script, 'page'), 'https://cdn.example/api/v1');
  t.equal(resolveEndpoint(undefined, 'file:///x/verifyhuman.umd.js', 'page'), 'page');
  t.equal(resolveEndpoint(undefined, null, 'page'), 'page');
  t.throws(() => resolveEndpoint(undefined, undefined, 'page'), { code: 'INVALID_OPTION' });
  t.end();
});
