/** Changed verdicts, put together. */
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { createBatchSigner } from '../crypto/batch-signer.js';
import { deriveSigningKey } from '../crypto/master-key.js';
import { startVerdictRounds } from '../scoring/verdict-changes/rounds.js';
import type { Background, Parts } from './parts.js';

export const openVerdictRounds = ({ stores, outbox, masterKeys, logger, metrics, now }: Parts): Background =>
  startVerdictRounds({
    ...{ database: stores.database, outbox, logger, metrics, now },
    receiptKeys: masterKeys.readable.map((key) => deriveSigningKey(key, 'receipts')),
    signer: createBatchSigner(deriveSigningKey(masterKeys.current, 'receipts')),
    judge: (facts) => recordVerdict(scoreFacts(facts)),
  });
