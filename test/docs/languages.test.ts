/** The page of four languages, and the programs that check the vectors: each runs where its language is installed, and is skipped by name where not. */
import t from 'tap';
import { startFlakyServer, reply } from '../helpers/flaky-server.js';
import { packageVersion } from '../../src/package-root.js';
import { blocksOf, hasProgram, prepareProject } from '../helpers/guide-blocks.js';
import { readRepositoryFile } from '../helpers/repository.js';
import { scoreReply } from '../helpers/score-reply.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

const programs = { js: ['node', '-v'], python: ['python3', '-V'], php: ['php', '-v'], go: ['go', 'version'] } as const;
const service = await startTestService(t);
const { projectKey, baseUrl } = service.bootstrap;
const run = await prepareProject(temporaryDirectory(t), { PROJECT_KEY: projectKey, API: baseUrl });
const clean = scoreReply();
const risky = scoreReply({
  score: 55,
  recommendation: 'review',
  duplicate: { ...clean.duplicate, band: 'likely', score: 91 },
});
const { baseUrl: riskyApi } = await startFlakyServer(t, [reply(200, risky)]);

const vectorCount = (JSON.parse(readRepositoryFile('docs/how-to/hashing-vectors.json')) as { hashes: unknown[] }).hashes
  .length;

for (const [language, [command, argument]] of Object.entries(programs)) {
  const skip = (await hasProgram(command, argument)) ? false : `${command} is not installed`;
  const only = (path: string) => {
    const [block, ...others] = blocksOf(path).filter((one) => one.language === language);
    if (block === undefined || others.length > 0) throw new Error(`${path} needs one block of ${language}`);
    return block;
  };
  t.test(`${language}: scores, and decides by both axes`, { skip, timeout: 400_000 }, async (t) => {
    const block = only('docs/how-to/score-from-other-languages.md');
    t.equal(await run(block), 'allow');
    t.equal(await run(block, { API: riskyApi }), 'block', 'risk and a duplicate');
    await t.rejects(run(block, { PROJECT_KEY: 'vf_live_nobody' }), /INVALID_KEY/, 'a refusal says why');
  });
  t.test(`${language}: hashes as the vectors say`, { skip, timeout: 400_000 }, async (t) => {
    t.equal(await run(only('docs/how-to/hash-identities.md')), String(vectorCount));
  });
}

t.test('the guide installs the Python client of this version', async (t) => {
  const guide = readRepositoryFile('docs/how-to/score-from-other-languages.md');
  t.match(guide, `/sdk/python/verifyhuman-${packageVersion}-py3-none-any.whl`);
});
