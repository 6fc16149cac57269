import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { explainUnreadableKey, longestKeyFile, parseUpstreamKey } from '../core/files/upstream-key.ts'
import type { CatalogFault } from './catalog-fault.ts'

/** What is wrong with the file that a `model.json` names as its server's key; none where it names no file. */
export async function checkKeyFile(keyFile: string | undefined, folder: string): Promise<readonly CatalogFault[]> {
  if (keyFile === undefined) return []
  const path = resolve(folder, keyFile)
  const fault = await findFault(path)
  return fault === null ? [] : [{ file: join(folder, 'model.json'), field: 'keyFile', message: `names ${path}, which ${fault}.` }]
}

async function findFault(path: string): Promise<string | null> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) return explainUnreadableKey('EISDIR')
    if (stats.size > longestKeyFile) return `has ${stats.size} bytes; name a file that holds only the access key`
    const read = parseUpstreamKey(await readFile(path, 'utf8'))
    return 'fault' in read ? read.fault : null
  } catch (error) {
    return explainUnreadableKey((error as NodeJS.ErrnoException).code)
  }
}
