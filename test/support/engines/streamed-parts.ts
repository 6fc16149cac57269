import type { TextPart } from '../../../src/core/text-generation.ts'
import type { StreamDecoder } from '../../../src/runtimes/upstream/data-lines.ts'
import { streamAnswer } from '../../../src/runtimes/upstream/stream-answer.ts'
import { makeTextRequest } from '../text-request.ts'

/** The parts that a decoder makes of a server's stream of these events; what is no text is sent as JSON. */
export function streamedParts(
  decoder: StreamDecoder,
  events: readonly unknown[],
  overrides: Parameters<typeof makeTextRequest>[1] = {},
): AsyncGenerator<TextPart, void, undefined> {
  const lines = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}`)
  async function* send(): AsyncGenerator<string> {
    yield lines.join('\n')
  }
  const connection = { send: async () => send() }
  const { signal } = new AbortController()
  return streamAnswer(connection, { path: '/', body: {}, decoder }, makeTextRequest('hello', overrides), { signal })
}
