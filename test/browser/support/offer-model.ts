import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'

/** A web server that offers one of the built-in models under another id. */
export interface OfferedModel extends AsyncDisposable {
  /** Of its `model.json`. */
  readonly address: string
  /** Lets the weights go; until then only `model.json` is answered. */
  release(): void
}

const models = join(import.meta.dirname, '../../fixtures/models')

export async function offerModel({ id, from }: { readonly id: string; readonly from: string }): Promise<OfferedModel> {
  const modelFile = JSON.stringify({ ...JSON.parse(await readFile(join(models, from, 'model.json'), 'utf8')), id })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const path = request.url?.slice(1) ?? ''
    if (path === 'model.json') return response.end(modelFile)
    await released
    createReadStream(join(models, from, path)).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${portOf(server)}/model.json`,
    release,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server listens on no port')
  return address.port
}
