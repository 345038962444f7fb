// Code and models of others inside the built files of a release: their notices, and their entries in its bill of materials. What a release
// installs as packages carries its own licenses.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Development packages by the part of the release that holds their code. */
const packages = {
  'the console and the widget': ['preact', 'wouter-preact', 'regexparam'],
  'the camera check': ['@vladmandic/human', '@vladmandic/face-api', '@tensorflow/tfjs-backend-wasm'],
  'the pages of the documentation': [
    ...['vitepress', 'vue', '@vueuse/core', 'minisearch', 'mark.js', 'focus-trap', 'tabbable'],
  ],
};
/** Carried by the packages above, without a package of their own here. */
const models = [
  ...['blazeface', 'facemesh', 'iris'].map((name) => [
    name,
    'Apache-2.0',
    'weights of MediaPipe, in @vladmandic/human; Google LLC',
  ]),
  ['face_recognition_model', 'CC0-1.0', 'weights of dlib, in @vladmandic/face-api; Davis King'],
  ['age_gender_model', 'MIT', 'weights of face-api.js, in @vladmandic/face-api; Vincent Mühler'],
].map(([name, license, from]) => ({ name, version: '1', license, type: 'machine-learning-model', from }));
const arithmetic = {
  ...{ name: 'TensorFlow.js', version: '4.22.0', license: 'Apache-2.0', type: 'library' },
  from: 'in @vladmandic/human; Google LLC',
};
const carried = [arithmetic, ...models];

export const builtPackages = Object.values(packages).flat();

export const carriedComponents = carried.map(({ name, version, license, type, from }) => ({
  ...{ 'bom-ref': `${name}@${version}`, type, name, version, description: from },
  licenses: [{ license: { id: license } }],
}));

/** The text of each license, as its package has it. */
export function noticesOf(root) {
  const folderOf = (name) => join(root, 'node_modules', name);
  const entries = Object.entries(packages).flatMap(([part, names]) =>
    names.map((name) => {
      const { version, license } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
      const file = readdirSync(folderOf(name)).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : readFileSync(join(folderOf(name), file), 'utf8').trim();
      return `${name} ${version}, in ${part}: ${license}\n\n${text}`.trim();
    }),
  );
  const others = carried.map(({ name, license, from }) => `${name}, ${from}: ${license}`);
  // The same text for all under this license; a package that is here for its compiler has it.
  const apache = readFileSync(join(folderOf('typescript'), 'LICENSE.txt'), 'utf8').trim();
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `Code and models of others in the built files of this release.\n\n${[...entries, others.join('\n'), apache].join(line)}\n`;
}
