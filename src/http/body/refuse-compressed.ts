import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../core/error.ts'

/**
 * Refuses a compressed body: nothing here decompresses one.
 *
 * @throws {ServiceError} `unsupported_media_type`
 */
export function refuseCompressed({ 'content-encoding': content, 'transfer-encoding': transfer }: IncomingHttpHeaders): void {
  if (content !== undefined && content !== '' && content.toLowerCase() !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.', { param: 'content-encoding' })
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed: the only allowed Transfer-Encoding is chunked.', {
      param: 'transfer-encoding',
    })
}
