import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a server answers a request for text. */
export type Answer = (response: ServerResponse, body: string) => void

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

/** The events of an answer of two words in OpenAI's stream, each a piece of its own. */
export const openAiEvents = [
  event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
  event({ choices: [{ index: 0, delta: { content: 'well ' }, finish_reason: null }] }),
  event({ choices: [{ index: 0, delta: { content: 'done' }, finish_reason: null }] }),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
  'data: [DONE]\n\n',
]

export const works: Answer = (response) => response.end(openAiEvents.join(''))

/** A server that answers as servers of language models do, or as they do when something is wrong with them. */
export interface TextServer extends AsyncDisposable {
  readonly url: string
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]
  /** How it answers from now on. */
  answer: Answer
  /** How it answers those that ask for its models. */
  models: Answer
}

/** Starts such a server; what it was asked is noted, but for looks at its models. */
export async function startTextServer(answer: Answer = works, { port = 0 }: { readonly port?: number } = {}): Promise<TextServer> {
  const server = createServer(async (request, response) => {
    const body = (await Array.fromAsync(request)).join('')
    if (request.url?.endsWith('/models')) return text.models(response, body)
    text.requests.push({ path: request.url ?? '', headers: request.headers, body })
    return text.answer(response, body)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const text: TextServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    answer,
    models: (response) => response.end('{"object":"list","data":[]}'),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return text
}
