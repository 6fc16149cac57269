import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseRecord } from '../../core/json-value.ts'

/** A small JSON file in a model's folder; null if it is missing or no JSON object. */
export async function readObject(folder: string, file: string): Promise<Readonly<Record<string, unknown>> | null> {
  return parseRecord(await readFile(join(folder, file), 'utf8').catch(() => ''))
}
