import { BrokenOff } from '../catalog-fault.ts'
import type { ModelSource } from '../model-source.ts'
import { type FetchRules, fetchPublic, through } from './fetch-public.ts'

/** Maximum size of a `model.json`. */
const longestModelFile = 1 << 20

/** A model on a web server; interrupted downloads are resumed if the server supports ranges. */
export function createWebSource(place: string, rules: FetchRules): ModelSource {
  const addressOf = (path: string) => new URL(path.split('/').map(encodeURIComponent).join('/'), `${place}/`)
  return {
    spreads: true,
    async readModelFile({ signal }) {
      const address = addressOf('model.json')
      const response = await fetchPublic({ address, from: 0 }, rules, { signal })
      let text = ''
      const decoder = new TextDecoder()
      for await (const piece of explainBreaks(response, address, { rules, signal })) {
        text += decoder.decode(piece, { stream: true })
        if (text.length > longestModelFile) throw new Error(`${address} is too long for a model.json.`)
      }
      return text + decoder.decode()
    },
    async openFile(path, offset, { signal }) {
      const address = addressOf(path)
      const response = await fetchPublic({ address, from: offset }, rules, { signal })
      return { offset: response.statusCode === 206 ? offset : 0, bytes: explainBreaks(response, address, { rules, signal }) }
    },
  }
}

/** Reports an early end of the body as an interruption. */
export async function* explainBreaks(
  body: AsyncIterable<Uint8Array>,
  address: URL,
  { rules, signal }: { readonly rules: FetchRules; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body
  } catch (cause) {
    signal.throwIfAborted()
    throw new BrokenOff(`The connection to ${address.host}${through(address, rules)} broke off; run the same command again to continue.`, {
      cause,
    })
  }
}
