/**
 * A session’s metadata: bounded in bytes and depth, free of the service’s own names, and on retries with those of the chain.
 */
import { chainNames, metadataBytesMax, metadataDepthMax, type Metadata } from '../../contract/session.js';
import type { Issue } from '../../errors.js';

const reserved = /^vh_/;

export function findMetadataIssue(metadata: Metadata): Issue | null {
  const path = '/metadata';
  // The depth first: what is nested too deeply to be walked is not written as JSON either.
  if (isDeeperThan(metadata, metadataDepthMax))
    return { path, message: `has more than ${metadataDepthMax} levels of objects and lists.` };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > metadataBytesMax
    ? { path, message: `has ${bytes} bytes of JSON; at most ${metadataBytesMax} are kept.` }
    : null;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}

/** The caller’s own entries. */
export const ownMetadata = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !reserved.test(name)));

/** The metadata of a retry: the caller’s, and which chain it belongs to. */
export const chainMetadata = (metadata: Metadata, rootSessionId: string, retryCount: number): Metadata => ({
  ...ownMetadata(metadata),
  [chainNames.root]: rootSessionId,
  [chainNames.count]: retryCount,
});
