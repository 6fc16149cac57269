import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { pullModel } from '../../src/catalog/pull-model.ts'
import { openCatalog } from '../../src/catalog/refreshable-catalog.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const options = { signal: new AbortController().signal, onProgress: () => {} }
const strict = { endpoint: 'https://hub.invalid', token: null, trustedHosts: [], wait: async () => {} }
const hub = { ...strict, trustedHosts: ['127.0.0.1'] }

function listed(text: string): { readonly bytes: number; readonly sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
}

function ggufModel(weights: string): object {
  return { id: 'tiny', kind: 'text', format: 'gguf', file: 'a.gguf', files: { 'a.gguf': listed(weights) } }
}

/** A web server with these texts by path; a text that begins with "-> " leads on, and "101" is another protocol. */
async function serve(texts: Readonly<Record<string, string>>) {
  const requested: string[] = []
  const server = createServer(({ url = '' }, response) => {
    requested.push(url)
    const text = texts[url]
    if (text === undefined) return void response.writeHead(404).end()
    if (text === '101') return void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
    if (text.startsWith('-> ')) return void response.writeHead(302, { location: text.slice(3) }).end()
    response.end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, requested, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

suite('hostile pulls', () => {
  test('plain http and private addresses are rejected unless their host is named', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await serve({})
    const refusal = (source: string) => pullModel({ modelsFolder: folder.path, hub: strict }, source, options)
    await assert.rejects(refusal(server.url), /does not use https.*add 127\.0\.0\.1 to the setting pull-hosts/)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '169.254.169.254', '10.0.0.1'])
      await assert.rejects(refusal(`https://${host}:${server.port}/x`), /is in a private network/, host)
    assert.deepEqual(server.requested, [])
  })

  test('redirects obey the same rules as the address', async () => {
    await using folder = await createTemporaryFolder()
    await using inner = await serve({ '/model.json': '{}' })
    await using server = await serve({
      '/model.json': `-> http://localhost:${inner.port}/model.json`,
      '/loop/model.json': '-> /loop/model.json',
    })
    const pull = (source: string) => pullModel({ modelsFolder: folder.path, hub }, source, options)
    await assert.rejects(pull(server.url), /localhost.* does not use https/)
    await assert.rejects(pull(`${server.url}/loop`), /redirects more than 5 times/)
    assert.deepEqual(inner.requested, [])
  })

  test('a server that changes the protocol ends the pull', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await serve({ '/model.json': '101' })
    await assert.rejects(pullModel({ modelsFolder: folder.path, hub }, server.url, options), /answered 101/)
  })

  test('a server that hangs, at the start or midway, ends the pull', async () => {
    await using folder = await createTemporaryFolder()
    const sockets = new Set<Socket>()
    let head = ''
    await using server = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.write(head)
    })
    using _dropped = { [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) }
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const pull = () => pullModel({ modelsFolder: folder.path, hub: { ...hub, silenceMs: 20 } }, `http://127.0.0.1:${port}`, options)
    await assert.rejects(pull(), /sent nothing for 0\.02 s/)
    head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'
    // On a busy machine the time is up before the beginning is read.
    await assert.rejects(pull(), /broke off|sent nothing for 0\.02 s/)
  })

  test('a server that sends endless 1xx responses ends the pull, one that sends a few does not', async () => {
    await using folder = await createTemporaryFolder()
    const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
    const model = JSON.stringify(ggufModel('x'))
    await using server = createServer(({ url = '', socket }) => {
      const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(model)}\r\n\r\n${model}`
      if (url === '/few/model.json') return void socket.end(processing.repeat(3) + answer)
      if (url.startsWith('/few/')) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
      const flood = (): void => {
        while (socket.writable && socket.write(processing.repeat(1000)));
      }
      socket.on('drain', flood).on('error', () => {})
      flood()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const pull = (path: string) => pullModel({ modelsFolder: folder.path, hub }, `http://127.0.0.1:${port}/${path}`, options)
    await assert.rejects(pull('few'), /a\.gguf answered 404/)
    await assert.rejects(pull('flood'), /sends interim responses \(1xx\) and no final one/)
  })

  test('a model that names another server or a secret of this machine is rejected', async () => {
    await using folder = await createTemporaryFolder()
    const model = { id: 'spy', kind: 'text', format: 'openai', url: 'http://10.0.0.1/v1', files: { 'readme.txt': listed('hello') } }
    await using server = await serve({
      '/model.json': JSON.stringify(model),
      '/key/model.json': JSON.stringify({ ...model, keyFile: '/etc/passwd' }),
      '/readme.txt': 'hello',
    })
    const pull = (source: string) => pullModel({ modelsFolder: join(folder.path, 'models'), hub }, source, options)
    await assert.rejects(pull(server.url), /is a model on another server/)
    await assert.rejects(pull(`${server.url}/key`), /keyFile: must be inside the folder of a pulled model/)
    assert.deepEqual(server.requested, ['/model.json', '/key/model.json'])
  })

  test('a model pulled by an older version sends no file from outside its folder', async () => {
    await using folder = await createTemporaryFolder()
    const pulledFolder = join(folder.path, 'models')
    await mkdir(join(pulledFolder, 'spy'), { recursive: true })
    const model = { id: 'spy', kind: 'text', format: 'openai', url: 'https://example.org/v1', keyFile: join(folder.path, 'secret') }
    await writeFile(join(folder.path, 'secret'), 'secret')
    await writeFile(join(pulledFolder, 'spy', 'model.json'), JSON.stringify(model))
    const catalog = await openCatalog({ folders: [], pulledFolder })
    assert.deepEqual([catalog.list(), catalog.faults.map(({ field }) => field)], [[], ['keyFile']])
    assert.equal((await openCatalog({ folders: [pulledFolder] })).list().length, 1)
  })

  test('files of an earlier attempt are not used for another model.json', async () => {
    await using folder = await createTemporaryFolder()
    const pull = (source: string) => pullModel({ modelsFolder: folder.path, hub }, source, options)
    const broken = { ...ggufModel('evil weights'), files: { 'a.gguf': listed('evil weights'), 'b.bin': listed('never there') } }
    await using hostile = await serve({ '/model.json': JSON.stringify(broken), '/a.gguf': 'evil weights' })
    await assert.rejects(pull(hostile.url), /404/)
    await using honest = await serve({ '/model.json': JSON.stringify(ggufModel('good weights')), '/a.gguf': 'good weights' })
    const { folder: pulled } = await pull(honest.url)
    assert.equal(await readFile(join(pulled, 'a.gguf'), 'utf8'), 'good weights')
    assert.deepEqual(honest.requested, ['/model.json', '/a.gguf'])
  })
})
