/** The installations that the repository describes: their settings are read by the service, and the files that they name exist. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { settings } from '../../src/config/settings.js';
import { readSettings } from '../../src/config/read.js';
import { packageVersion } from '../../src/package-root.js';
import { readRepositoryFile, repositoryPath } from '../helpers/repository.js';

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

const composePath = 'deploy/compose/compose.yaml';
const secrets: Readonly<Record<string, string>> = {
  VH_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  POSTGRES_PASSWORD: 'a-password',
  GRAFANA_PASSWORD: 'another',
};

/** Replaces variables as Compose does: by their value, by their default, or by a refusal. */
function fillIn(text: string): string {
  return text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_whole, name: string, kind: string | undefined, rest: string | undefined) => {
      const value: string | undefined = secrets[name] ?? (kind === '-' ? rest : undefined);
      if (value === undefined) throw new Error(`${name} is in no .env that the first lines describe`);
      return value;
    },
  );
}

t.test('each process of Compose starts with settings that the service reads', (t) => {
  const text = readRepositoryFile(composePath);
  for (const name of Object.keys(secrets)) t.match(text, `${name}=%s`, 'the first lines make it');
  const { services } = parse(text, { merge: true }) as { readonly services: Readonly<Record<string, ComposeService>> };
  const own = Object.entries(services).filter(([, { image }]) => image.startsWith('verifyhuman:'));
  t.ok(own.length >= 6);
  const roles = own.map(([name, { image, environment = {} }]) => {
    t.equal(image, `verifyhuman:${packageVersion}`, name);
    const filled = Object.entries(environment).map(([key, value]) => [key, fillIn(value)] as const);
    return readSettings(Object.fromEntries(filled)).VH_ROLES.join();
  });
  for (const role of ['api', 'consumers', 'audience']) t.ok(roles.includes(role), role);
  for (const [name, { volumes = [], ports = [] }] of Object.entries(services)) {
    for (const volume of volumes.filter((each) => each.startsWith('.')))
      t.ok(existsSync(resolve(repositoryPath(dirname(composePath)), volume.split(':')[0] ?? '')), volume);
    for (const port of ports) t.match(port, /^127\.0\.0\.1:/, `${name} listens on this machine alone`);
  }
  t.end();
});

t.test('Prometheus asks the processes of Compose, by the rules that ship', (t) => {
  const { services } = parse(readRepositoryFile(composePath)) as { readonly services: object };
  const { scrape_configs: jobs } = parse(readRepositoryFile('deploy/compose/prometheus.yml')) as {
    readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[];
  };
  const targets = jobs.flatMap(({ static_configs: sets }) => sets.flatMap((set) => set.targets));
  t.same(targets, ['api-one:3002', 'api-two:3002', 'consumers:3002', 'audience:3002']);
  for (const target of targets) t.ok((target.split(':')[0] ?? '') in services, target);
  t.end();
});

t.test('the chart is of this version, sets what the service reads, and asks what it answers', (t) => {
  const chart = parse(readRepositoryFile('deploy/helm/verifyhuman/Chart.yaml')) as Readonly<Record<string, string>>;
  t.match(chart, { version: packageVersion, appVersion: packageVersion });
  const helpers = readRepositoryFile('deploy/helm/verifyhuman/templates/_helpers.tpl');
  const names = [...helpers.matchAll(/\{ name: ([A-Z_]+), value/g)].map(([, name = '']) => name.replace(/_FILE$/, ''));
  t.ok(names.length >= 10);
  t.same(
    names.filter((name) => !(name in settings)),
    [],
  );
  for (const path of ['/healthz', '/trafficz']) t.match(helpers, `path: ${path},`);
  t.end();
});

t.test('the image and the unit start files that a release has', (t) => {
  const paths = ['deploy/container/Containerfile', 'deploy/systemd/verifyhuman@.service'].flatMap((file) =>
    [...readRepositoryFile(file).matchAll(/\/(?:app|opt\/verifyhuman)\/(dist\/\S+?\.js)/g)].map(
      ([, path = '']) => path,
    ),
  );
  t.ok(paths.length >= 2);
  for (const path of paths) t.ok(existsSync(repositoryPath(path)), path);
  t.end();
});

t.test('the guide names the versions that the matrix tries', (t) => {
  const tried = JSON.parse(readRepositoryFile('deploy/stack/versions.json')) as Readonly<
    Record<string, readonly (string | { readonly version: string })[]>
  >;
  const rows = readRepositoryFile('docs/how-to/deploy.md').matchAll(/^\| (\S+) \| .* \| ([^|]+) \|$/gm);
  const named = new Map([...rows].map(([, part = '', versions = '']) => [part, versions.match(/\d+\.\d+/g)]));
  const parts = { node: 'Node.js', postgres: 'PostgreSQL', redis: 'Redis', kafka: 'Kafka' };
  t.same(Object.keys(tried), Object.keys(parts));
  for (const [part, name] of Object.entries(parts)) {
    const versions = (tried[part] ?? []).map((each) => (typeof each === 'string' ? each : each.version));
    t.same(
      named.get(name),
      versions.map((version) => /^\d+\.\d+/.exec(version)?.[0]),
      name,
    );
  }
  t.end();
});
