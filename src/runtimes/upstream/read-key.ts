import { readFile, stat } from 'node:fs/promises'
import { ServiceError } from '../../core/error.ts'
import { explainUnreadableKey, longestKeyFile, parseUpstreamKey } from '../../core/files/upstream-key.ts'

/**
 * Reads a server's key from its file.
 *
 * @throws {ServiceError} `inference_failed` if the file has none; the cause names the field and the path, never the key.
 */
export async function readKey(keyFile: string | null): Promise<string | null> {
  if (keyFile === null) return null
  let text: string
  try {
    if ((await stat(keyFile)).size > longestKeyFile) throw unusable(keyFile, 'is too long; use a file that holds only the access key')
    text = await readFile(keyFile, 'utf8')
  } catch (error) {
    throw error instanceof ServiceError ? error : unusable(keyFile, explainUnreadableKey((error as NodeJS.ErrnoException).code))
  }
  const read = parseUpstreamKey(text)
  if ('fault' in read) throw unusable(keyFile, read.fault)
  return read.key
}

function unusable(keyFile: string, fault: string): ServiceError {
  return new ServiceError('inference_failed', 'The model cannot be used: its key cannot be read; report it to the operator.', {
    cause: new Error(`\`keyFile\` names ${keyFile}, which ${fault}.`),
  })
}
