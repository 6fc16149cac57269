/** One server-sent event: its name (`message` where it has none) and its data. */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/** Longest event that is read, in characters: several pictures as base64. */
const longestEvent = 256 * 1024 * 1024

/** Takes the bytes of an event stream apart, however they are cut; comments and unfinished events are left out. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    if (rest.length > longestEvent) throw new Error('The service sent an event without an end.')
    for (const block of blocks) {
      const event = parse(block)
      if (event !== null) yield event
    }
  }
}

function parse(block: string): ServerEvent | null {
  const lines = block.split(/\r?\n/)
  const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
  const name = lines.findLast((line) => line.startsWith('event:'))?.slice(6)
  return data.length === 0 ? null : { name: name?.trim() ?? 'message', data: data.join('\n') }
}
