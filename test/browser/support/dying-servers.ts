import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'

/** Two models behind servers: one that can die in the middle of an answer, and one that is down. */
export interface DyingServers extends AsyncDisposable {
  /** The models folder. */
  readonly folder: string
  /** `dying-chat`'s address. */
  readonly address: string
  /** Ends the connections of answers that have begun; waits for one that does. */
  readonly die: () => Promise<void>
}

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

export async function openDyingServers(): Promise<DyingServers> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await createTemporaryFolder())
  const begun = new Set<ServerResponse>()
  let first = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'm' }] }))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk('Once upon a time '))
    begun.add(response)
    first.resolve()
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const models = [
    { id: 'dying-chat', kind: 'text', format: 'openai', url: `${address}/v1`, model: 'm' },
    // Port 9 discards, where anybody is there at all.
    { id: 'dead-images', kind: 'image', format: 'a1111', url: 'http://127.0.0.1:9' },
  ]
  for (const model of models) {
    await mkdir(join(folder, model.id))
    await writeFile(join(folder, model.id, 'model.json'), JSON.stringify(model))
  }
  const owned = stack.move()
  const die = async (): Promise<void> => {
    await first.promise
    for (const response of begun) response.destroy()
    begun.clear()
    first = Promise.withResolvers()
  }
  return { folder, address, die, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
