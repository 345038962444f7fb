/**
 * `npm run admin -- COMMAND`: what an operator does to organizations, printed as one line of JSON. Where a service runs it is asked to do
 * it, because it holds the embedded database; where none runs, the stores are opened here, under the same lock as at its start.
 */
import { readSettings, type Settings } from '../config.js';
import { loadMasterKey } from '../crypto/master-key.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { runOperatorCommand, type OperatorCommand } from '../projects/operator/operator.js';
import { readOperatorCommand } from '../projects/operator/operator-arguments.js';
import { sendOperatorCommand } from '../projects/operator/operator-channel.js';
import { openDatabaseAlone } from '../stores/open-stores.js';
import { createLogger } from '../telemetry/logger.js';

try {
  const command = readOperatorCommand(process.argv.slice(2));
  const settings = readSettings(process.env);
  const reply = (await askService(settings, command)) ?? (await runAlone(settings, command));
  process.stdout.write(`${JSON.stringify(reply)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

/** null where no service of ours listens. */
async function askService(settings: Settings, command: OperatorCommand): Promise<unknown> {
  const masterKey = settings.VH_MASTER_KEY ?? loadMasterKey(settings.VH_DATA_DIR);
  const addresses = new Set([
    readBootstrap(settings.VH_DATA_DIR)?.adminUrl,
    settings.ADMIN_PORT === 0 ? undefined : `http://${settings.HOST}:${settings.ADMIN_PORT}`,
  ]);
  for (const address of addresses) {
    if (address === undefined) continue;
    const sent = await sendOperatorCommand(address, masterKey, command);
    if (sent.outcome === 'refused') throw new Error(sent.message);
    if (sent.outcome === 'done') return sent.reply;
  }
  return null;
}

async function runAlone(settings: Settings, command: OperatorCommand): Promise<unknown> {
  const database = await openDatabaseAlone(
    settings,
    createLogger(settings.VH_LOG_LEVEL === 'info' ? 'warn' : settings.VH_LOG_LEVEL, process.stderr),
  );
  try {
    return await runOperatorCommand({ database, now: Date.now }, command);
  } finally {
    await database.close();
  }
}
