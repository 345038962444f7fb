/** Reads the JSON file that a setting names. Rejects with a sentence for the operator. */
import { readFile } from 'node:fs/promises';

export async function readJson(setting: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${setting} names ${path}, which cannot be read as JSON: ${reason}`, { cause });
  }
}
