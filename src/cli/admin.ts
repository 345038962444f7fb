/**
 * `npm run admin -- COMMAND`: prints one line of JSON, or an explanation as text. Asks the running service, which holds the embedded
 * database; without one, opens the database under the same lock.
 */
import { readFileSync } from 'node:fs';
import type { Explanation, RecordedFacts } from '../contract/explanation.js';
import { readSettings } from '../config/read.js';
import type { Settings } from '../config/settings.js';
import { checkMasterKeys } from '../administration/master-keys.js';
import { isUnavailable } from '../errors.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { runOperatorCommand } from '../projects/operator/operator.js';
import { readOperatorCommand, type OperatorCommand } from '../projects/operator/operator-command.js';
import { findOperatorService, sendOperatorCommand } from '../projects/operator/operator-channel.js';
import { readApplied } from '../stores/database/migration-plan.js';
import { findServerMark, openDatabaseAlone } from '../stores/database/open.js';
import { kafkaConnectionOf } from '../stores/open.js';
import { causeOf } from '../stores/store-report.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { wireExplain } from '../wiring/admin.js';
import { listenerUrl } from '../wiring/parts.js';
import { explainFacts } from '../../workers/evidence/explain.js';
import { renderExplanation, renderReplay } from './explanation-text.js';
import { describeDatabase, operatorMasterKey } from './operator-target.js';

try {
  const command = readOperatorCommand(process.argv.slice(2));
  process.stdout.write(await answer(command));
} catch (error) {
  process.stderr.write(`${isUnavailable(error) ? causeOf(error) : (error as Error).message}\n`);
  process.exit(1);
}

async function answer(command: ReturnType<typeof readOperatorCommand>): Promise<string> {
  if (command.command === 'replay') return replay(command.file);
  return command.command === 'migrate' ? migrateAlone() : carryOut(command);
}

async function carryOut(command: OperatorCommand): Promise<string> {
  const settings = readSettings(process.env);
  const reply = (await askService(settings, command)) ?? (await runAlone(settings, command));
  if (command.command === 'restored') {
    const groupsReset = await resetLog(settings, new Date(command.backupAt));
    return `${JSON.stringify({ ...(reply as object), groupsReset })}\n`;
  }
  if (command.command !== 'explain') return `${JSON.stringify(reply)}\n`;
  const explanation = reply as Explanation;
  if (explanation.facts === null) return renderExplanation(explanation);
  const { facts, recorded } = explanation;
  return `${JSON.stringify({ facts, recorded } satisfies RecordedFacts)}\n`;
}

/** Has the consumers read the event log again from `at` on; answers their groups, which are none without Kafka. */
async function resetLog(settings: Settings, at: Date): Promise<readonly string[]> {
  const connection = kafkaConnectionOf(settings);
  if (connection === null) return [];
  const { resetGroups } = await import('../stores/log/kafka/group-reset.js');
  try {
    return await resetGroups({ ...connection, logger: loggerOf(settings), prefix: settings.KAFKA_TOPIC_PREFIX, at });
  } catch (error) {
    throw new Error(
      `The database is ready, but the event log was not reset (${isUnavailable(error) ? causeOf(error) : (error as Error).message}). Stop all consumers, check that Kafka answers, then run the command again.`,
      { cause: error },
    );
  }
}

function replay(file: string): string {
  const { facts, recorded } = readFacts(file);
  return renderReplay(recorded, explainFacts(facts));
}

function readFacts(file: string): RecordedFacts {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Partial<RecordedFacts> | null;
    if (read?.facts?.version === 1) return { facts: read.facts, recorded: read.recorded ?? null };
  } catch (error) {
    throw new Error(`${file} is not readable JSON: ${(error as Error).message}. Correct it.`, { cause: error });
  }
  throw new Error(
    `${file} has no recorded facts. Create it with \`npm run --silent admin -- explain RECEIPT --facts\`.`,
  );
}

/** On standard error: standard output holds the reply alone. */
function sayTarget(target: string): void {
  process.stderr.write(`Target: ${target}\n`);
}

/** On standard error, what is not well alone. */
function loggerOf({ VH_LOG_LEVEL: level }: Settings): Logger {
  return createLogger(level === 'info' ? 'warn' : level, process.stderr);
}

/** null where no service of ours listens, or one that works on another database than the one that is named here. */
async function askService(settings: Settings, command: OperatorCommand): Promise<unknown> {
  const masterKey = operatorMasterKey(settings);
  const known = new Set([
    readBootstrap(settings.VH_DATA_DIR)?.adminUrl,
    settings.ADMIN_PORT === 0 ? undefined : listenerUrl(settings.ADMIN_HOST ?? settings.HOST, settings.ADMIN_PORT),
  ]);
  const addresses = [...known].filter((address) => address !== undefined);
  const database = addresses.length === 0 ? null : await findServerMark(settings, loggerOf(settings));
  for (const address of addresses) {
    const found = await findOperatorService(address, masterKey, database);
    if (found === 'elsewhere')
      process.stderr.write(
        `The service at ${address} uses another database than DATABASE_URL; this command bypasses it.\n`,
      );
    if (typeof found === 'string') continue;
    sayTarget(`the service at ${address} (${found.stores.join(', ')}; schema ${found.schema})`);
    const sent = await sendOperatorCommand(address, masterKey, command, database);
    if (sent.outcome === 'done') return sent.reply;
    throw new Error(
      sent.outcome === 'refused'
        ? sent.message
        : 'The service stopped meanwhile. Nothing was done; run the command again.',
    );
  }
  return null;
}

/** Brings the database to this version without a service: before the first start, or ahead of an upgrade. */
async function migrateAlone(): Promise<string> {
  const settings = readSettings(process.env);
  sayTarget(describeDatabase(settings, process.env));
  const applied: string[] = [];
  const database = await openDatabaseAlone(settings, loggerOf(settings), (name) => applied.push(name));
  const schema = (await readApplied(database)).at(-1)?.name;
  await database.close();
  return `${JSON.stringify({ applied, schema })}\n`;
}

async function runAlone(settings: Settings, command: OperatorCommand): Promise<unknown> {
  const given = { current: operatorMasterKey(settings), kept: settings.VH_MASTER_KEYS_KEPT };
  sayTarget(describeDatabase(settings, process.env));
  const database = await openDatabaseAlone(settings, loggerOf(settings));
  const schema = (await readApplied(database)).at(-1)?.name;
  const untouched = command.command === 'restored' ? 'Redis is' : 'Redis and Kafka are';
  process.stderr.write(`Its schema is ${schema}; ${untouched} not touched.\n`);
  try {
    const { readable } = await checkMasterKeys(database, given);
    return await runOperatorCommand(
      // Only what is recorded is found here; what the log still holds is recorded at the next start.
      {
        database,
        now: Date.now,
        explain: wireExplain({ database, counters: null, masterKeys: readable, now: Date.now }),
      },
      command,
    );
  } finally {
    await database.close();
  }
}
