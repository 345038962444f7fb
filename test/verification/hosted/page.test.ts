import fc from 'fast-check';
import t from 'tap';
import { brandSheetOf } from '../../../src/administration/pages/frame.js';
import { chooseLanguage, languages } from '../../../src/administration/pages/languages.js';
import { pagePolicy, renderCheckPage, renderEndedPage } from '../../../src/verification/hosted/page.js';
import { returnTarget } from '../../../src/verification/hosted/link-service.js';
import { texts } from '../../../src/verification/hosted/texts.js';

const hostile = `"><script>alert(1)</script>'&`;

t.test('the language is the one asked for, else the best that the browser accepts, else English', (t) => {
  for (const [asked, accepted, expected] of [
    ['fr', 'de', 'fr'],
    ['pt-BR', undefined, 'pt'],
    ['xx', 'ja;q=0.9, de', 'de'],
    [undefined, 'ES-mx', 'es'],
    [undefined, 'de;q=0, ar', 'ar'],
    [undefined, 'xx, *;q=0.1', 'en'],
    ['constructor', '__proto__', 'en'],
    [undefined, undefined, 'en'],
  ] as const)
    t.equal(chooseLanguage(asked, accepted), expected, `${asked} ${accepted}`);
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string(), fc.string(), (asked, accepted) => languages.includes(chooseLanguage(asked, accepted))),
    ),
  );
  t.end();
});

t.test('every language says everything, in words of its own', (t) => {
  for (const language of languages) {
    for (const name of Object.keys(texts.en) as (keyof typeof texts.en)[]) {
      const text = texts[language][name];
      t.ok(text.trim().length > 1, `${language} ${name}`);
      if (language !== 'en' && !['contact'].includes(name)) t.not(text, texts.en[name], `${language} ${name}`);
    }
  }
  t.end();
});

t.test('nothing that is put into a page gets out of its place', (t) => {
  const branding = {
    companyName: hostile,
    privacyUrl: `https://a.example/${hostile}`,
    supportEmail: `a${hostile}@b.example`,
    logoUrl: `https://l.example/${hostile}`,
  };
  const parts = { language: 'en' as const, branding, brandSheet: `/v/${hostile}` };
  const pages = [
    renderCheckPage({
      ...parts,
      linkId: hostile,
      siteKey: hostile,
      apiEndpoint: hostile,
      bundle: hostile,
      hasReturn: true,
    }),
    renderEndedPage({ ...parts, state: 'expired', leave: hostile }),
  ];
  for (const page of pages) t.notMatch(page, /<script>alert|"><script/);
  const urls = { own: 'https://verify.example/', models: 'https://models.example/v1' };
  t.match(pagePolicy(branding, urls), /img-src 'self' data: blob: https:\/\/l\.example(;|$)/);
  t.notMatch(pagePolicy(branding, urls), /alert/);
  t.match(pagePolicy(null, urls), /connect-src 'self' https:\/\/models\.example;/);
  t.match(pagePolicy(null, { ...urls, models: 'https://verify.example/sdk/models/' }), /connect-src 'self';/);
  t.end();
});

t.test('text on a colour of the project has the higher contrast of black and white', (t) => {
  for (const [color, on] of [
    ['#fff', '#000000'],
    ['#000', '#ffffff'],
    ['#ffcc00', '#000000'],
    ['#1f5f5b', '#ffffff'],
    ['#777777', '#000000'],
  ] as const)
    t.match(brandSheetOf({ primaryColor: color }), `--on-accent: ${on}`, color);
  t.equal(brandSheetOf(null), null);
  t.equal(brandSheetOf({ companyName: 'Acme' }), null);
  t.end();
});

t.test('an address leads where the rules allow, and only its two parameters are the service’s', (t) => {
  const owner = { project: { fields: {} }, organization: { allowedDomains: [] } } as never;
  const rules = {
    isAllowed: (_p: unknown, _o: unknown, origin: string) => origin === 'https://ok.example',
    environment: 'production' as const,
  };
  const go = (returnUrl: string | null, isOwnReturn = false) =>
    returnTarget({ returnUrl, isOwnReturn }, owner, rules, { status: 'fail', token: 't' });
  t.equal(go('https://ok.example/a?b=1#c'), 'https://ok.example/a?b=1&vh_token=t&status=fail#c');
  t.equal(
    go('https://ok.example/?status=pass&status=pass&vh_token=x&vh_token=y'),
    'https://ok.example/?status=fail&vh_token=t',
  );
  for (const url of [
    null,
    'https://other.example/',
    'https://ok.example@other.example/',
    'https://ok.example:444/',
    'http://ok.example/',
    'https:\\\\ok.example',
    'javascript:1',
    'HTTPS://OTHER.example',
  ])
    t.equal(go(url), null, String(url));
  t.equal(
    go('http://127.0.0.1:3001/v1/entry', true),
    'http://127.0.0.1:3001/v1/entry?vh_token=t&status=fail',
    'a page of the service itself',
  );
  t.equal(go('javascript:alert(1)', true), null);
  t.end();
});
