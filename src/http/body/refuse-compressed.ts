import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../core/error.ts'

/**
 * Refuses a body that does not come as it is: one that was packed, and one that is packed on its way, which nothing here unpacks.
 *
 * @throws {ServiceError} `unsupported_media_type`
 */
export function refuseCompressed({ 'content-encoding': content, 'transfer-encoding': transfer }: IncomingHttpHeaders): void {
  if (content !== undefined && content !== '' && content.toLowerCase() !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.', { param: 'content-encoding' })
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed: Transfer-Encoding may say chunked, and nothing else.', {
      param: 'transfer-encoding',
    })
}
