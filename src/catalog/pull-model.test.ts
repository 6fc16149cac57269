import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ggufValue, writeGguf } from '../../test/support/model-files/gguf-file.ts'
import { takePullLock } from './pull/unfinished-pulls.ts'
import { planPull, pullModel } from './pull-model.ts'
import { openCatalog } from './refreshable-catalog.ts'

const weights = Buffer.alloc(3_000_000, 'weights ')
const modelFile = {
  id: 'org/tiny',
  kind: 'text',
  format: 'gguf',
  file: 'sub/model.gguf',
  files: { 'sub/model.gguf': { bytes: weights.length, sha256: createHash('sha256').update(weights).digest('hex') } },
}
const hub = { endpoint: 'https://hub.invalid', token: null, trustedHosts: ['127.0.0.1'], wait: async () => {} }
const options = { signal: new AbortController().signal, onProgress: () => {} }

async function makeFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-pull-'))
  context.after(() => rm(folder, { recursive: true }))
  return folder
}

/** A web server with the model; it interrupts the first `breaks` downloads and records the requested ranges. */
async function serveModel(
  context: TestContext,
  { breaks = 0, piece = 1_000_000, bytes = weights }: { breaks?: number; piece?: number; bytes?: Buffer } = {},
) {
  const ranges: (string | undefined)[] = []
  const server = createServer((request, response) => {
    if (request.url === '/models/tiny/model.json') return void response.end(JSON.stringify(modelFile))
    if (request.url !== '/models/tiny/sub/model.gguf') return void response.writeHead(404).end()
    ranges.push(request.headers.range)
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start })
    if (ranges.length > breaks) return void response.end(bytes.subarray(start))
    response.flushHeaders()
    if (piece === 0) return void response.destroy()
    response.write(bytes.subarray(start, start + piece), () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/models/tiny`, ranges }
}

test('a pulled model appears in the catalog, with progress up to the last byte', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url } = await serveModel(context)
  let last = ''
  const descriptor = await pullModel({ modelsFolder, hub }, `${url}/model.json`, {
    ...options,
    onProgress: ({ path, bytesDone, bytesTotal }) => (last = `${path} ${bytesDone}/${bytesTotal}`),
  })
  assert.equal(last, 'sub/model.gguf 3000000/3000000')
  const catalog = await openCatalog({ folders: [modelsFolder] })
  assert.deepEqual(catalog.find('org/tiny'), descriptor)
  await assert.rejects(pullModel({ modelsFolder, hub }, url, options), /already/)
})

test('an interrupted download resumes where it stopped, any number of times', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context, { breaks: 2 })
  const descriptor = await pullModel({ modelsFolder, hub }, url, options)
  assert.deepEqual(ranges.slice(0, 1), [undefined])
  for (const range of ranges.slice(1)) assert.match(range ?? '', /^bytes=[1-9]\d*-$/)
  assert.deepEqual(await readFile(join(descriptor.folder, 'sub/model.gguf')), weights)
})

test('a cancelled download shows no model, and the next attempt resumes where it stopped', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context)
  const stop = new AbortController()
  const stopped = pullModel({ modelsFolder, hub }, url, { signal: stop.signal, onProgress: () => stop.abort() })
  await assert.rejects(stopped, { name: 'AbortError' })
  assert.deepEqual((await openCatalog({ folders: [modelsFolder] })).list(), [])
  await pullModel({ modelsFolder, hub }, url, options)
  assert.match(ranges[1] ?? '', /^bytes=[1-9]\d*-$/)
})

test('when one model is pulled twice at once from two addresses, the first succeeds and the second reports that it exists', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url } = await serveModel(context, { breaks: 2 })
  const pulls = [url, `${url}/model.json`].map((source) => pullModel({ modelsFolder, hub }, source, options))
  const [first, second] = await Promise.allSettled(pulls)
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'rejected'])
  assert.match(String(Object(second).reason), /org\/tiny is already in .*; remove it first/)
  assert.deepEqual(await readFile(join(modelsFolder, 'org--tiny', 'sub', 'model.gguf')), weights)
  assert.deepEqual(await readdir(modelsFolder), ['org--tiny'])
})

test('a pull that starts while a cancelled one is ending waits for it and succeeds', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url } = await serveModel(context)
  const stop = new AbortController()
  const begun = Promise.withResolvers<void>()
  const first = pullModel({ modelsFolder, hub }, url, { signal: stop.signal, onProgress: () => begun.resolve() })
  await begun.promise
  stop.abort(new Error('stopped'))
  const [stopped, again] = await Promise.allSettled([first, pullModel({ modelsFolder, hub }, url, options)])
  assert.deepEqual([stopped.status, again.status], ['rejected', 'fulfilled'])
  assert.deepEqual(await readFile(join(modelsFolder, 'org--tiny', 'sub', 'model.gguf')), weights)
})

test('cancelling a pull that waits for another ends it at once, and those behind it keep waiting', {
  timeout: 300_000,
}, async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url } = await serveModel(context, { breaks: 1 })
  const [paused, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wait = (): Promise<void> => {
    paused.resolve()
    return released.promise
  }
  const first = pullModel({ modelsFolder, hub: { ...hub, wait } }, url, options)
  await paused.promise
  const stop = new AbortController()
  const onPlan = () => stop.abort(new Error('stopped'))
  await assert.rejects(pullModel({ modelsFolder, hub }, url, { ...options, signal: stop.signal, onPlan }), /stopped/)
  const third = pullModel({ modelsFolder, hub }, url, { ...options, onPlan: () => released.resolve() })
  await assert.rejects(third, /org\/tiny is already in .*; remove it first/)
  assert.equal((await first).id, 'org/tiny')
})

test('a pull is rejected while another process pulls the model, and the files of that process are kept', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context)
  const stop = new AbortController()
  await assert.rejects(pullModel({ modelsFolder, hub }, url, { signal: stop.signal, onProgress: () => stop.abort() }))
  const [unfinished = ''] = await readdir(modelsFolder)
  {
    // Another connection is rejected like another process.
    using _other = takePullLock(join(modelsFolder, unfinished))
    await assert.rejects(pullModel({ modelsFolder, hub }, url, options), /org\/tiny is being pulled by another process/)
    assert.equal(ranges.length, 1)
  }
  const { folder } = await pullModel({ modelsFolder, hub }, url, options)
  assert.match(ranges[1] ?? '', /^bytes=[1-9]\d*-$/)
  assert.deepEqual((await readdir(folder)).toSorted(), ['model.json', 'sub'])
})

test('bytes of an earlier attempt are not counted as needed space', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context)
  const stop = new AbortController()
  await assert.rejects(pullModel({ modelsFolder, hub }, url, { signal: stop.signal, onProgress: () => stop.abort() }))
  const [unfinished = ''] = await readdir(modelsFolder)
  await writeFile(join(modelsFolder, unfinished, 'sub', 'model.gguf.part'), weights.subarray(0, 2_000_000))
  const withRoom = (bytes: number) => pullModel({ modelsFolder, hub, freeBytes: async () => bytes }, url, options)
  await assert.rejects(withRoom(999_999), /org\/tiny needs 1000000 more bytes, but .* has 999999 left; make room first\./)
  assert.equal((await withRoom(1_000_000)).id, 'org/tiny')
  assert.deepEqual(ranges, [undefined, 'bytes=2000000-'])
})

test('a models folder that is full or read-only is reported with the fix', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url } = await serveModel(context)
  const fail = (code: string) => async () => {
    throw Object.assign(new Error(code), { code })
  }
  for (const [code, fault] of [
    ['ENOSPC', 'is full; free space on its disk, and pull again to continue.'],
    ['EROFS', 'is not writable for this user; change its permissions, and pull again.'],
  ] as const)
    await assert.rejects(pullModel({ modelsFolder, hub, freeBytes: fail(code) }, url, options), { message: `${modelsFolder} ${fault}` })
  // A source that cannot be read, in a folder whose name begins alike.
  const beside = Object.assign(new Error('permission denied'), { code: 'EACCES', path: `${modelsFolder}-old/model.gguf` })
  await assert.rejects(pullModel({ modelsFolder, hub, freeBytes: () => Promise.reject(beside) }, url, options), beside)
})

test('gives up on a server that disconnects without sending further bytes', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context, { breaks: 1000, piece: 0 })
  await assert.rejects(pullModel({ modelsFolder, hub }, url, options), /broke off/)
  assert.equal(ranges.length, 5)
})

test('a plan lists the files and the space needed, and fetches none', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context)
  const plan = await planPull({ modelsFolder, hub }, url, options)
  assert.deepEqual([plan.id, plan.bytes, Object.keys(plan.files), plan.notes], ['org/tiny', weights.length, ['sub/model.gguf'], []])
  assert.ok(plan.freeBytes > 0)
  assert.deepEqual(ranges, [])
})

test('an id used by a model of another folder is rejected before anything is copied', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url, ranges } = await serveModel(context)
  const installed = [{ id: 'org/tiny', folder: '/elsewhere/tiny' }]
  await assert.rejects(pullModel({ modelsFolder, installed, hub }, url, options), /already installed in \/elsewhere\/tiny/)
  assert.deepEqual(ranges, [])
})

test('damaged bytes are rejected and not kept', async (context) => {
  const modelsFolder = await makeFolder(context)
  const damaged = Buffer.from(weights)
  damaged[1_500_000] = 0
  const { url } = await serveModel(context, { bytes: damaged })
  await assert.rejects(pullModel({ modelsFolder, hub }, url, options), /damaged/)
  const { url: whole, ranges } = await serveModel(context)
  await pullModel({ modelsFolder, hub }, whole, options)
  assert.deepEqual(ranges, [undefined])
})

test('copies a model from another folder', async (context) => {
  const modelsFolder = await makeFolder(context)
  const from = await makeFolder(context)
  await mkdir(join(from, 'sub'))
  await writeFile(join(from, 'sub/model.gguf'), weights)
  await writeFile(join(from, 'model.json'), JSON.stringify(modelFile))
  const descriptor = await pullModel({ modelsFolder, hub }, from, options)
  assert.equal(descriptor.folder, join(modelsFolder, 'org--tiny'))
})

test('reports what is wrong with an address', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { url } = await serveModel(context)
  await assert.rejects(pullModel({ modelsFolder, hub }, `${url}/nothing`, options), /answered 404/)
})

test('explains how to write a source when a folder has no model.json or does not exist', async (context) => {
  const modelsFolder = await makeFolder(context)
  await writeFile(join(modelsFolder, 'notes.txt'), weights)
  for (const source of ['no-such-model', join(modelsFolder, 'no-such-folder')])
    await assert.rejects(pullModel({ modelsFolder, hub }, source, options), (error: Error) => {
      assert.equal(error.message, `There is no file or folder ${source}; write hf:<owner>/<repository> for a model of the hub.`)
      return true
    })
  for (const source of [modelsFolder, join(modelsFolder, 'notes.txt')])
    await assert.rejects(pullModel({ modelsFolder, hub }, source, options), (error: Error) => {
      assert.match(error.message, /has no model\.json.*hf:<owner>\/<repository>/)
      assert.ok(error.message.startsWith(source), error.message)
      return true
    })
})

/** A complete GGUF file of 3 MB. */
function gguf(noise: string): Buffer {
  const header = [['general.architecture', ggufValue('llama')]] as const
  return writeGguf(header, [{ name: 'token_embd.weight', shape: [1000, 750], type: 0, data: Buffer.alloc(3_000_000, noise) }])
}

test('a file that is not a GGUF model is rejected after it arrived, and can be pulled again', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { address, state } = await serveFile(context, 'tiny.gguf')
  state.bytes = Buffer.from('<html>Sign in first</html>')
  await assert.rejects(pullModel({ modelsFolder, hub }, address, options), /tiny\.gguf /)
  state.bytes = writeGguf([['general.architecture', ggufValue('clip')]], [])
  await assert.rejects(pullModel({ modelsFolder, hub }, address, options), /mmproj/)
  assert.deepEqual(await readdir(modelsFolder), [])
})

/** A web server with one file at every path that ends in its name; it interrupts downloads and changes the file on demand. */
async function serveFile(context: TestContext, name: string) {
  const state = { bytes: gguf('weights '), etag: '"1"', breaks: 0 }
  const ranges: (string | undefined)[] = []
  const server = createServer(({ url = '', headers }, response) => {
    if (!url.split('?')[0]?.endsWith(`/${name}`)) return void response.writeHead(404).end()
    ranges.push(headers.range)
    const start = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': state.bytes.length - start, etag: state.etag })
    if (state.breaks-- > 0) return void response.write(state.bytes.subarray(start, start + 1_000_000), () => response.destroy())
    response.end(state.bytes.subarray(start))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/files/${name}?download=1`, ranges, state }
}

test('a weights file is pulled by its address, resumed, and its checksum recorded', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { address, ranges, state } = await serveFile(context, 'Tiny%20Chat-Q4.gguf')
  state.breaks = 3
  const sha256 = createHash('sha256').update(gguf('weights ')).digest('hex')
  const { id, folder } = await pullModel({ modelsFolder, hub }, address, options)
  assert.equal(id, 'tiny-chat-q4')
  const written = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8'))
  assert.deepEqual(written.files, { 'Tiny Chat-Q4.gguf': { bytes: gguf('weights ').length, sha256 } })
  assert.ok(ranges.some((range) => range !== undefined))
  const catalog = await openCatalog({ folders: [modelsFolder] })
  assert.equal(catalog.find('tiny-chat-q4')?.bytes, gguf('weights ').length)
})

test('a checksum in the address is verified', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { address } = await serveFile(context, 'tiny.gguf')
  await assert.rejects(pullModel({ modelsFolder, hub }, `${address}#sha256=${'1'.repeat(64)}`, options), /arrived damaged/)
  const sha256 = createHash('sha256').update(gguf('weights ')).digest('hex')
  assert.equal((await pullModel({ modelsFolder, hub }, `${address}#sha256=${sha256}`, options)).id, 'tiny')
})

test('a file that changed between two attempts is fetched from the start', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { address, ranges, state } = await serveFile(context, 'tiny.gguf')
  const stop = new AbortController()
  await assert.rejects(pullModel({ modelsFolder, hub }, address, { signal: stop.signal, onProgress: () => stop.abort() }))
  Object.assign(state, { bytes: gguf('others '), etag: '"2"' })
  ranges.length = 0
  const { folder } = await pullModel({ modelsFolder, hub }, address, options)
  assert.ok(ranges.every((range) => range === undefined))
  assert.deepEqual(await readFile(join(folder, 'tiny.gguf')), state.bytes)
})

test('every part of a split set is pulled by the name of one, from a path or an address', async (context) => {
  const modelsFolder = await makeFolder(context)
  const folder = await makeFolder(context)
  for (const part of [1, 2]) await writeFile(join(folder, `big-0000${part}-of-00002.gguf`), gguf('weights '))
  const pulled = await pullModel({ modelsFolder, hub }, join(folder, 'big-00002-of-00002.gguf'), options)
  assert.equal(pulled.id, 'big')
  assert.deepEqual((await readdir(pulled.folder)).toSorted(), ['big-00001-of-00002.gguf', 'big-00002-of-00002.gguf', 'model.json'])
  await assert.rejects(pullModel({ modelsFolder, hub }, join(folder, 'none.gguf'), options), /none\.gguf cannot be read; check the path/)
})

test('a pickle is rejected before any byte is fetched', async (context) => {
  const modelsFolder = await makeFolder(context)
  const { address, ranges } = await serveFile(context, 'model.ckpt')
  await assert.rejects(pullModel({ modelsFolder, hub }, address, options), /is a pickle/)
  assert.deepEqual(ranges, [])
})
