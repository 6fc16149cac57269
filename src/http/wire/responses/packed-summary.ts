import { ServiceError } from '../../../core/error.ts'

const packed = 'sepia-summary.'

/** A summary as the opaque content of a `compaction` item; no secret. */
export function packSummary(summary: string): string {
  return packed + Buffer.from(summary).toString('base64url')
}

/**
 * What a model is shown in place of a `compaction` item.
 *
 * @param index The item's place in `input`.
 * @throws {ServiceError} `invalid_request_error` for one of another service, which nobody else can read.
 */
export function unpackSummary(content: unknown, index: number): string {
  if (typeof content === 'string' && content.startsWith(packed))
    return `Summary of the conversation so far:\n${Buffer.from(content.slice(packed.length), 'base64url').toString('utf8')}`
  const param = `input[${index}].encrypted_content`
  throw new ServiceError('invalid_request_error', `\`${param}\` was made by another service; send the conversation itself.`, { param })
}
