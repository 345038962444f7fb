// Allowed imports between folders, as a rule of lint: `layers/imports`.
import importX from 'eslint-plugin-import-x';

/** Folders by layer; each may import only what is listed (and itself). */
const capabilities = [
  'scoring',
  'verification',
  'projects',
  'webhooks',
  'audience',
  'oauth',
  'agents',
  'console',
  'demo',
];
const roots = [
  './src/bounded-cache.ts',
  './src/errors.ts',
  './src/fair-limiter.ts',
  './src/nearest-name.ts',
  './src/limits.ts',
  './src/make-directory.ts',
  './src/config',
  './src/package-root.ts',
];

const zone = (target, message, allowed) => ({ target, from: './', except: [...allowed, './node_modules'], message });

const zones = [
  zone('./workers', 'The pure core imports the contract and the record only.', [
    './workers',
    './src/record',
    './src/contract',
    './src/limits.ts',
  ]),
  zone('./src/record', 'How a record is written knows the contract, and of counters and seals their types.', [
    './src/record',
    './src/stores/counters',
    './src/crypto',
    './src/contract',
    './src/limits.ts',
  ]),
  zone('./src/contract', 'The contract imports nothing of the service.', ['./src/contract', './src/limits.ts']),
  zone('./src/stores', 'Stores import the contract and telemetry only.', [
    './src/stores',
    './src/contract',
    './src/telemetry',
    ...roots,
  ]),
  zone('./src/pool', 'The pool imports the contract and telemetry only.', [
    './src/pool',
    './src/contract',
    './src/telemetry',
    ...roots,
  ]),
  zone('./src/telemetry', 'Telemetry imports no capability.', ['./src/telemetry', './src/contract', ...roots]),
  zone('./src/http', 'HTTP knows no capability; a capability registers its own routes.', [
    './src/http',
    './src/kernel',
    './src/net',
    './src/contract',
    './src/telemetry',
    ...roots,
  ]),
  zone('./src/kernel', 'What every capability needs knows no transport, store or capability.', [
    './src/kernel',
    './src/contract',
    ...roots,
  ]),
  zone('./src/net', 'Reading of addresses depends on the contract only.', ['./src/net', './src/contract', ...roots]),
  zone('./src/crypto', 'Keys, seals and identifiers depend on the contract only.', [
    './src/crypto',
    './src/contract',
    ...roots,
  ]),
  zone('./src/administration', 'What capabilities share knows none of them.', [
    './src/administration',
    './src/kernel',
    './src/net',
    './src/stores',
    './src/contract',
    './src/telemetry',
    './src/crypto',
    ...roots,
  ]),
  zone('./sdk', 'The SDK imports types of the contract only, and the receiver that it publishes.', [
    './sdk',
    './src/contract',
    './src/receiver',
  ]),
  zone('./console', 'The page of the console knows the API by its contract only.', ['./console', './src/contract']),
  ...capabilities.map((name) =>
    zone(`./src/${name}`, 'Capabilities never import each other; pass what is needed through deps.', [
      `./src/${name}`,
      './src/administration',
      './src/http',
      './src/kernel',
      './src/net',
      './src/stores',
      './src/pool',
      './src/record',
      './src/contract',
      './src/telemetry',
      './src/crypto',
      ...roots,
    ]),
  ),
  ...capabilities.map((name) => ({
    target: `./src/${name}/**/!(*routes|*route-parts).ts`,
    from: './src/http',
    message: 'Only routes know the transport; what a capability needs without it stands in src/kernel.',
  })),
];

const restrictedPaths = importX.rules['no-restricted-paths'];

export default {
  meta: { name: 'layers' },
  rules: {
    imports: {
      meta: { ...restrictedPaths.meta, schema: [] },
      create: (context) => restrictedPaths.create(Object.create(context, { options: { value: [{ zones }] } })),
    },
  },
};
