import { ServiceError } from '../../../core/error.ts'

const packed = 'sepia-summary.'

/** Packs a summary as the opaque content of a `compaction` item. It is not encrypted. */
export function packSummary(summary: string): string {
  return packed + Buffer.from(summary).toString('base64url')
}

/**
 * The text that a model sees in place of a `compaction` item.
 *
 * @param index The item's index in `input`.
 * @throws {ServiceError} `invalid_request_error` for one made by another service, which cannot be read.
 */
export function unpackSummary(content: unknown, index: number): string {
  if (typeof content === 'string' && content.startsWith(packed))
    return `Summary of the conversation so far:\n${Buffer.from(content.slice(packed.length), 'base64url').toString('utf8')}`
  const param = `input[${index}].encrypted_content`
  throw new ServiceError('invalid_request_error', `\`${param}\` was made by another service; send the conversation itself.`, { param })
}
