import { EventSourceParserStream } from 'eventsource-parser/stream'
import { t } from '../language/t.ts'
import { RequestFailure } from './request.ts'

export interface ServerEvent {
  /** The event's name; `message` when the stream states none. */
  readonly event: string
  readonly data: string
}

/**
 * Reads the server-sent events of a response until it ends.
 *
 * @throws {RequestFailure} `cut_off` when the connection breaks.
 */
export async function* readEventStream(response: Response): AsyncGenerator<ServerEvent, void, undefined> {
  const events = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        // The caller aborted on purpose.
        if (error instanceof DOMException && error.name === 'AbortError') throw error
        throw new RequestFailure(0, 'cut_off', t`The answer was cut off. Try again.`, response.headers.get('x-request-id'))
      })
      if (done) return
      yield { event: value.event ?? 'message', data: value.data }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
