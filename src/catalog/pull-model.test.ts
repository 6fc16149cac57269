import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pullModel } from './pull-model.ts'

interface Shop extends AsyncDisposable {
  readonly address: string
  readonly modelsFolder: string
}

/** A web server with these files, and an empty folder for models. */
async function openShop(files: Readonly<Record<string, string>>): Promise<Shop> {
  const server = createServer((request, response) => {
    const content = files[decodeURIComponent(request.url ?? '')]
    response.writeHead(content === undefined ? 404 : 200).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const folder = await mkdtemp(join(tmpdir(), 'sepia-pull-'))
  return {
    address: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`,
    modelsFolder: join(folder, 'models'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}

function modelFile(weights: string, change: Readonly<Record<string, unknown>> = {}): string {
  const sha256 = createHash('sha256').update(weights).digest('hex')
  const files = { 'parts/the weights.gguf': { bytes: weights.length, sha256 } }
  return JSON.stringify({ id: 'shop/tiny', kind: 'text', format: 'gguf', file: 'parts/the weights.gguf', files, ...change })
}

async function pull(shop: Shop, path = '/tiny/model.json'): Promise<{ readonly id: string; readonly progress: readonly number[] }> {
  const progress: number[] = []
  const { signal } = new AbortController()
  const { id } = await pullModel(shop, `${shop.address}${path}`, { signal, onProgress: ({ bytesDone }) => void progress.push(bytesDone) })
  return { id, progress }
}

describe('pullModel', () => {
  it('fetches every listed file and installs the model once it is whole', async () => {
    await using shop = await openShop({ '/tiny/model.json': modelFile('GGUFtiny'), '/tiny/parts/the weights.gguf': 'GGUFtiny' })
    const { id, progress } = await pull(shop)
    assert.equal(id, 'shop/tiny')
    assert.equal(progress.at(-1), 8)
    assert.equal(await readFile(join(shop.modelsFolder, 'shop--tiny', 'parts', 'the weights.gguf'), 'utf8'), 'GGUFtiny')
  })

  it('installs nothing when a file is damaged, too long, too short or missing', async () => {
    for (const served of ['GGUFevil', 'GGUFtiny and more', 'GGUF', undefined]) {
      const weights = served === undefined ? {} : { '/tiny/parts/the weights.gguf': served }
      await using shop = await openShop({ '/tiny/model.json': modelFile('GGUFtiny'), ...weights })
      await assert.rejects(pull(shop), { name: 'CatalogError' })
      assert.deepEqual(await readdir(shop.modelsFolder).catch(() => []), [])
    }
  })

  it('refuses addresses, model files and file lists that it cannot check', async () => {
    await using shop = await openShop({ '/tiny/model.json': modelFile('GGUFtiny', { files: undefined }), '/bad/model.json': '{}' })
    await assert.rejects(pull(shop), /must list every file/)
    await assert.rejects(pull(shop, '/bad/model.json'), { name: 'CatalogError' })
    await assert.rejects(pull(shop, '/none/model.json'), /the server answers 404/)
    await assert.rejects(pull(shop, '/tiny/weights.gguf'), /is not an address of a model.json/)
  })

  it('says why a server cannot be reached', async () => {
    const shop = await openShop({})
    await shop[Symbol.asyncDispose]()
    await assert.rejects(pull(shop), /cannot be fetched: .*ECONNREFUSED/)
  })
})
