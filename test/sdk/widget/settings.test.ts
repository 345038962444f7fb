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
  for (const siteKey of ['vf_live_1', 'vf_org_live_1'])
    t.throws(() => readOptions({ siteKey }), { code: 'INVALID_OPTION', message: /secret key .* rotate it.* proj_/ });
  t.throws(() => readOptions({ siteKey: 'pk_1' }), { code: 'INVALID_OPTION', message: /key of the probe.* proj_/ });
  t.throws(() => readOptions({ siteKey: 5 } as unknown as MountOptions), { message: /siteKey must be/ });
  t.end();
});

t.test('metadata is an object of names and values, however it is given', (t) => {
  for (const metadata of [[1], 'x', 5, true]) {
    const given = { siteKey: 'proj_1', metadata } as unknown as MountOptions;
    t.throws(() => readOptions(given), { code: 'INVALID_OPTION', message: /^metadata must be an object/ });
    const attributes: Record<string, string> = { 'data-sitekey': 'proj_1', 'data-metadata': JSON.stringify(metadata) };
    t.throws(() => readOptions(readAttributes((name) => attributes[name] ?? null)), { code: 'INVALID_OPTION' });
  }
  t.end();
});

t.test('consent that the integrator says they have is whole, or the mount is refused', (t) => {
  const at = '2026-01-01T12:00:00Z';
  t.strictSame(readOptions({ siteKey: 'p', consent: { biometric: true, at } }).consent, { biometric: true, at });
  for (const consent of [
    {},
    { biometric: true },
    { biometric: 'yes', at },
    { biometric: false, at },
    { biometric: true, at: 'now' },
    [at],
  ])
    t.throws(
      () => readOptions({ siteKey: 'p', consent } as unknown as MountOptions),
      { code: 'INVALID_OPTION', message: /^consent must be \{ biometric: true, at/ },
      JSON.stringify(consent),
    );
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

t.test(
  'the API root: what the caller says, else that of the script, else the built-in one; otherwise the option is named',
  (t) => {
    const script = 'https://cdn.example/sdk/v1/verifyhuman.umd.js';
    const builtIn = 'https://verify.example/api/v1';
    t.equal(resolveEndpoint('https://api.example/api/v1/', script, builtIn), 'https://api.example/api/v1');
    t.equal(resolveEndpoint(undefined, script, builtIn), 'https://cdn.example/api/v1');
    t.equal(resolveEndpoint(undefined, 'file:///x/verifyhuman.umd.js', builtIn), builtIn);
    t.equal(resolveEndpoint(undefined, undefined, builtIn), builtIn);
    t.equal(resolveEndpoint('/verify/api/v1', undefined), '/verify/api/v1');
    for (const host of ['https://api.example', 'http://127.0.0.1:3000/'])
      t.throws(() => resolveEndpoint(host, script, builtIn), {
        code: 'INVALID_OPTION',
        message: /must be the API root: http\S+[^/]\/api\/v1\.$/,
      });
    for (const unknown of [undefined, 'file:///x/verifyhuman.umd.js'])
      t.throws(() => resolveEndpoint(undefined, unknown), {
        code: 'INVALID_OPTION',
        message: /^apiEndpoint is needed/,
      });
    t.end();
  },
);
