import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'

/** A part of a message as the server was sent it. */
export interface SentPart {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

/** A vision model behind its own server. */
export interface SeeingServer extends AsyncDisposable {
  /** The models folder; the model is called `seeing-chat`. */
  readonly folder: string
  /** The requests it received. */
  readonly requested: readonly { readonly messages: readonly { readonly content: string | readonly SentPart[] }[] }[]
}

export async function openSeeingServer(): Promise<SeeingServer> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await createTemporaryFolder())
  const requested: SeeingServer['requested'][number][] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'm' }] }))
    requested.push(JSON.parse(await text(request)))
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
    const events = [{ choices: [{ index: 0, delta: { content: 'I see it.' }, finish_reason: 'stop' }] }, { choices: [], usage }]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end([...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'].join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await mkdir(join(folder, 'seeing-chat'))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = { id: 'seeing-chat', name: 'Seeing Chat', kind: 'text', format: 'openai', url, model: 'm', vision: true }
  await writeFile(join(folder, 'seeing-chat', 'model.json'), JSON.stringify(model))
  const owned = stack.move()
  return { folder, requested, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
