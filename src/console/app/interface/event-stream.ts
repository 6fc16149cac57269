import { EventSourceParserStream } from 'eventsource-parser/stream'
import { t } from '../language/t.ts'
import { RequestFailure } from './request.ts'

export interface ServerEvent {
  /** The event's name; `message` where the stream gives none. */
  readonly event: string
  readonly data: string
}

/** Reads server-sent events off a response until it ends. @throws {RequestFailure} `cut_off` when the line breaks. */
export async function* readEventStream(response: Response): AsyncGenerator<ServerEvent, void, undefined> {
  const events = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        // The caller left on purpose.
        if (error instanceof DOMException && error.name === 'AbortError') throw error
        throw new RequestFailure(0, 'cut_off', t`The answer broke off. Try again.`, response.headers.get('x-request-id'))
      })
      if (done) return
      yield { event: value.event ?? 'message', data: value.data }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
