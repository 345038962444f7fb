/**
 * Opening of a transaction (TransactionCallOptions) whose statements join a batch of keys to tables that have an index of them: every key is looked up there.
 * The planner otherwise reads a table whole, and sorts or hashes it for each batch, until it is some hundred times as large as the batch; and of one that grows it
 * knows the size of an hour ago.
 */
export const keysAreLookedUp = 'SET LOCAL enable_hashjoin = off;SET LOCAL enable_mergejoin = off';
