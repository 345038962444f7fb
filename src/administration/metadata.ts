/**
 * Bounds on the metadata that callers hand in, whether for a session or for a link that makes sessions.
 */
import { isDeeper } from '../kernel/body.js';
import { metadataBytesMax, metadataDepthMax, type Metadata } from '../contract/session.js';
import type { Issue } from '../errors.js';

export function findMetadataIssue(metadata: Metadata): Issue | null {
  const path = '/metadata';
  // The depth first: what is nested too deeply to be walked is not written as JSON either.
  if (isDeeper(metadata, metadataDepthMax))
    return { path, message: `has more than ${metadataDepthMax} levels of objects and lists.` };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > metadataBytesMax
    ? { path, message: `has ${bytes} bytes of JSON; at most ${metadataBytesMax} are kept.` }
    : null;
}
