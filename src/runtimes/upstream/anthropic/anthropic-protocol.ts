import { ServiceError } from '../../../core/error.ts'
import { streamAnswer } from '../stream-answer.ts'
import type { CountWatch, TextProtocol } from '../text-protocol.ts'
import { encodeMessagesRequest } from './encode-messages-request.ts'
import { MessageDecoder } from './message-decoder.ts'

/** Anthropic's Messages interface, in the version that its servers have asked for since 2023. */
export function createAnthropicProtocol(model: string, watch: CountWatch = {}): TextProtocol {
  return {
    generate(connection, request, { signal }) {
      const question = { path: '/messages', body: encodeMessagesRequest(request, model), decoder: new MessageDecoder() }
      return streamAnswer(connection, question, request, { signal, ...watch })
    },
    async embed() {
      throw new ServiceError('unsupported_parameter', 'This model makes no embeddings; use another.', { param: 'model' })
    },
    headersFor: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),
  }
}
