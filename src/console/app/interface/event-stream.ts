import { t } from '../language/t.ts'
import { RequestFailure } from './request.ts'

export interface ServerEvent {
  /** The event's name; `message` where the stream gives none. */
  readonly event: string
  readonly data: string
}

/** Reads server-sent events off a response until it ends. @throws {RequestFailure} `cut_off` when the line breaks. */
export async function* readEventStream(response: Response): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  try {
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        // The caller left on purpose.
        if (error instanceof DOMException && error.name === 'AbortError') throw error
        throw new RequestFailure(0, 'cut_off', t`The answer broke off. Try again.`, response.headers.get('x-request-id'))
      })
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseEvent(block: string): ServerEvent | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) event = line.slice(6).trim()
    else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
  }
  return data.length > 0 ? { event, data: data.join('\n') } : null
}
