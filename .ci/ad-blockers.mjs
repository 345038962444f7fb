// Fails where a rule of an ad blocker's general or tracking list would stop what a survey's page loads from the service on another site. The
// lists (AdGuard Base and Tracking Protection, which take in EasyList and EasyPrivacy) are the rules that its extension gives to Chromium.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const site = 'https://verify.example';
const lists = ['ruleset_2', 'ruleset_3'];

const files = (folder) =>
  readdirSync(join(root, 'dist', folder))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `/${folder}/${name}`);
const { paths } = JSON.parse(readFileSync(join(root, 'dist/openapi/api.json'), 'utf8'));
const requests = [
  ...[...files('sdk/lite/v1'), ...files('sdk/v1')].map((path) => ({ url: site + path, type: 'script' })),
  ...Object.keys(paths)
    .filter((path) => path.startsWith('/public/'))
    .flatMap((path) =>
      ['xmlhttprequest', 'ping'].map((type) => ({ url: `${site}/api/v1${path.replaceAll(/[{}]/g, '')}`, type })),
    ),
];
/** A name that the lists are known to have: where it passes, the rules were not read. */
const control = { url: `${site}/fingerprint.js`, type: 'script' };

/** `||` is the start of a domain, `|` an end of the address, `^` a separator, `*` anything. */
function patternOf({ urlFilter, regexFilter }) {
  if (urlFilter === undefined) return regexFilter === undefined ? null : new RegExp(regexFilter, 'i');
  const [, start = '', middle = '', end = ''] = /^(\|{0,2})(.*?)(\|?)$/s.exec(urlFilter) ?? [];
  const body = middle
    .replaceAll(/[.+?${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('^', '(?:[^a-z0-9_.%-]|$)');
  const from = { '': '', '|': '^', '||': String.raw`^[a-z]+://(?:[^/?#]+\.)?` }[start];
  return new RegExp(from + body + (end === '' ? '' : '$'), 'i');
}

const rules = lists.flatMap((list) =>
  JSON.parse(
    readFileSync(
      join(root, `.ci/node_modules/@adguard/dnr-rulesets/dist/filters/declarative/${list}/${list}.json`),
      'utf8',
    ),
  )
    .filter(
      ({ action, condition: { initiatorDomains, requestDomains, domainType } }) =>
        action.type !== 'allow' && !initiatorDomains && !requestDomains && domainType !== 'firstParty',
    )
    .map(({ condition }) => ({ condition, pattern: patternOf(condition) }))
    .filter(({ pattern }) => pattern !== null),
);
const findRule = ({ url, type }) =>
  rules.find(
    ({ condition: { resourceTypes, excludedResourceTypes = [] }, pattern }) =>
      (resourceTypes?.includes(type) ?? true) && !excludedResourceTypes.includes(type) && pattern.test(url),
  )?.condition;

const stopped = requests.map((request) => ({ ...request, rule: findRule(request) })).filter(({ rule }) => rule);
for (const each of stopped) console.log(JSON.stringify(each));
if (!findRule(control)) throw new Error(`no rule stops ${control.url}: the lists were not read`);
console.log(`ad blockers: ${rules.length} rules, ${requests.length} requests, ${stopped.length} stopped`);
process.exitCode = stopped.length === 0 ? 0 : 1;
