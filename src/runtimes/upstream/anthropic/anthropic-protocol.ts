import { ServiceError } from '../../../core/error.ts'
import { readDataLines } from '../read-data-lines.ts'
import type { TextProtocol } from '../text-protocol.ts'
import { decodeMessageEvents } from './decode-message-events.ts'
import { encodeMessagesRequest } from './encode-messages-request.ts'

/** Anthropic's Messages interface, in the version that its servers have asked for since 2023. */
export function createAnthropicProtocol(model: string): TextProtocol {
  return {
    async *generate(connection, request, { signal }) {
      const pieces = await connection.send('/messages', encodeMessagesRequest(request, model), { signal })
      yield* decodeMessageEvents(readDataLines(pieces))
    },
    async embed() {
      throw new ServiceError('unsupported_parameter', 'This model makes no embeddings; use another.', { param: 'model' })
    },
    headersFor: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),
  }
}
