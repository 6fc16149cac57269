import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'

/** One answer of the server, which the test writes. */
export interface ServedAnswer {
  /** The requests to the model. */
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  write(text: string): void
  /** Absent: 7 tokens in, 3 out. */
  end(usage?: { readonly prompt: number; readonly completion: number }): void
  /** Resolves when its reader has disconnected. */
  readonly left: Promise<void>
}

/** A model behind its own server whose output the test writes. */
export interface WritingServer extends AsyncDisposable {
  /** The models folder; the model is called `writing-chat` and holds 1,000 tokens. */
  readonly folder: string
  /** The next answer that is asked for, or was already. */
  next(): Promise<ServedAnswer>
}

const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`

export async function openWritingServer(): Promise<WritingServer> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await createTemporaryFolder())
  const asked: ServedAnswer[] = []
  let ring = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'm' }] }))
    const { messages } = JSON.parse(await text(request))
    const left = Promise.withResolvers<void>()
    response.on('close', left.resolve)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    asked.push({
      messages,
      left: left.promise,
      write: (content) => void response.write(event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
      end: ({ prompt, completion } = { prompt: 7, completion: 3 }) => {
        const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
        response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
        response.end(`${event({ choices: [], usage })}data: [DONE]\n\n`)
      },
    })
    ring.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await mkdir(join(folder, 'writing-chat'))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = { id: 'writing-chat', name: 'Writing Chat', kind: 'text', format: 'openai', url, model: 'm', contextLength: 1000 }
  await writeFile(join(folder, 'writing-chat', 'model.json'), JSON.stringify(model))
  const owned = stack.move()
  return {
    folder,
    next: async () => {
      for (;;) {
        const answer = asked.shift()
        if (answer !== undefined) return answer
        ring = Promise.withResolvers()
        await ring.promise
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
