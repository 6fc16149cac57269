import { createHash } from 'node:crypto'
import { ServiceError } from '../../core/error.ts'
import type { OutputReference, StoredPicture } from '../../core/inference.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'

/**
 * Reads one picture of a stored output, and nothing else of it.
 *
 * @throws {ServiceError} `internal_error` when its bytes are missing or damaged.
 */
export async function openPicture(
  { outputs }: { readonly outputs: OutputStore },
  { output, picture }: { readonly output: OutputReference; readonly picture: StoredPicture },
  options: { readonly signal: AbortSignal },
): Promise<Buffer> {
  const part = await outputs.readPart(output, picture, options)
  const bytes = Buffer.from(Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1'), 'base64')
  if (createHash('sha256').update(bytes).digest('hex') === picture.sha256) return bytes
  throw new ServiceError('internal_error', 'The stored picture is damaged; send the request again.')
}
