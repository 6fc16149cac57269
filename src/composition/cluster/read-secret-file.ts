import { readFile } from 'node:fs/promises'
import { UsageError } from '../../cli/failures.ts'

/** The only line of a file that holds a secret. @throws {UsageError} when it cannot be read, or has fewer than `least` characters. */
export async function readSecretFile(path: string, { where, least }: { readonly where: string; readonly least: number }): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError([{ where, message: `${path} cannot be read: ${error.message}` }])
  })
  const secret = text.trim()
  if (secret.length >= least) return secret
  throw new UsageError([{ where, message: `${path} holds ${secret.length} characters; write at least ${least}.` }])
}
