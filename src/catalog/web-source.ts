import type { ModelSource } from './model-source.ts'

/** A `model.json` longer than this is none. */
const longestModelFile = 1 << 20

/** A model on a web server; a server that knows ranges lets a broken download go on where it stopped. */
export function createWebSource(place: string): ModelSource {
  const addressOf = (path: string) => new URL(path.split('/').map(encodeURIComponent).join('/'), `${place}/`)
  return {
    async readModelFile({ signal }) {
      const { body } = await request(addressOf('model.json'), 0, signal)
      let text = ''
      const decoder = new TextDecoder()
      for await (const piece of body) {
        text += decoder.decode(piece, { stream: true })
        if (text.length > longestModelFile) throw new Error(`${addressOf('model.json')} is too long for a model.json.`)
      }
      return text + decoder.decode()
    },
    async openFile(path, offset, { signal }) {
      const { status, body } = await request(addressOf(path), offset, signal)
      return { offset: status === 206 ? offset : 0, bytes: body }
    },
  }
}

async function request(
  address: URL,
  offset: number,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> }> {
  const headers: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {}
  const response = await fetch(address, { headers, signal }).catch((cause) => {
    signal.throwIfAborted()
    throw new Error(`${address} cannot be reached; check the address and the network.`, { cause })
  })
  if (!response.ok || response.body === null) throw new Error(`${address} answered ${response.status}; check the address.`)
  return { status: response.status, body: explainBreaks(response.body, address, signal) }
}

async function* explainBreaks(
  body: AsyncIterable<Uint8Array>,
  address: URL,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body
  } catch (cause) {
    signal.throwIfAborted()
    throw new Error(`The connection to ${address.host} broke off; run the same command again to go on.`, { cause })
  }
}
