import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import type { PlacedModel } from '../../core/model.ts'
import { neverAborted } from '../../core/waiting.ts'
import type { PullModel } from '../../operations/model-pulls.ts'
import { createFakeCatalog, describeFakeImage, describeFakeText } from '../../runtimes/fake/fake-catalog.ts'
import type { ModelList, ModelServer } from '../contract/models.ts'

const source = 'https://models.example/tiger/model.json'

async function openModels(pullModel?: PullModel, more: Parameters<typeof startConsoleService>[0] = {}) {
  const service = await startConsoleService({ ...more, ...(pullModel && { pullModel }) })
  const owner = await service.join(service.firstCode, 'ada@example.org')
  const { code } = (await service.send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await service.join(code, 'bob@example.org')
  const list = async (cookie = owner): Promise<ModelList> => (await service.send('GET', '/console/api/models', { cookie })).json()
  const post = async (path: string, body: object, cookie = owner) =>
    (await service.send('POST', `/console/api/models/${path}`, { cookie, body })).statusCode
  return { ...service, owner, member, list, post }
}

describe('the models', () => {
  test('are listed without paths of the machine', async () => {
    const { send, owner, list } = await openModels()
    const { models } = await list()
    assert.deepEqual(
      models.map(({ id, kind, state }) => [id, kind, state.state]),
      [
        ['fake-chat', 'text', 'loaded'],
        ['fake-image', 'image', 'unloaded'],
      ],
    )
    assert.doesNotMatch((await send('GET', '/console/api/models', { cookie: owner })).body, /\/fake\//)
  })

  test('come with the memory that they may use, for owners', async () => {
    const { list, member } = await openModels(undefined, { limits: [{ name: 'modelMemoryBytes', most: 4e9 }] })
    assert.deepEqual([(await list()).memoryBytes, (await list(member)).memoryBytes], [4e9, undefined])
  })

  test('are listed with the LoRA adapters that fit them', async () => {
    const adapter = (name: string, architecture: string) =>
      ({ kind: 'adapter', name, architecture, file: `/secret/${name}.gguf`, family: null, bytes: 1, created: 0 }) as const
    const weights = { architecture: 'llama', parameters: 1, quantization: 'Q8_0', layers: 1, vocabularySize: 1, cacheBytesPerToken: 1 }
    const catalog = createFakeCatalog(
      [describeFakeText({ weights }), describeFakeImage()],
      [adapter('ink', 'llama'), adapter('owl', 'qwen3')],
    )
    const { list, member } = await openModels(undefined, { catalog })
    const [chat, image] = (await list(member)).models
    assert.deepEqual(chat?.kind === 'text' && chat.adapters, ['ink'])
    assert.ok(image !== undefined && !('adapters' in image))
  })

  test('are loaded, unloaded and pulled only by owners, and by name', async () => {
    const { post, member } = await openModels(() => new Promise(() => {}))
    for (const path of ['load', 'unload']) assert.equal(await post(path, { model: 'fake-chat' }, member), 403, path)
    for (const path of ['pulls', 'pulls/remove']) assert.equal(await post(path, { source }, member), 403, path)
    assert.equal(await post('load', {}), 422)
    assert.equal(await post('load', { model: 'nothing' }), 404)
  })
})

describe('an owner', () => {
  const server = { url: 'http://10.0.0.7:8000/v1', model: 'm', answers: false, reason: 'It refused the connection.' }

  test('sees where a model runs and whether it can be removed; members do not', async () => {
    const modelServers = () => [server]
    const { list, member } = await openModels(undefined, { modelServers })
    assert.deepEqual([(await list()).models[0]?.servers, (await list()).models[0]?.removable], [[server], false])
    assert.doesNotMatch(JSON.stringify(await list(member)), /10\.0\.0\.7|removable/)
  })

  test('sees which files were left out of the models and why; members do not', async () => {
    const leftOut = [{ file: '/models/broken.gguf', reason: 'has a damaged header' }]
    const { list, member } = await openModels(undefined, { leftOutFiles: () => leftOut })
    assert.deepEqual((await list()).leftOut, leftOut)
    assert.doesNotMatch(JSON.stringify(await list(member)), /leftOut|broken/)
  })

  test('removes pulled models and nothing else; members remove none', async () => {
    const removed: string[] = []
    const image = createFakeCatalog().find('fake-image')?.folder
    const pulledModels = {
      has: ({ folder }: PlacedModel) => folder === image || folder === '/pulled',
      findLeftOut: (name: string) => (name === 'broken' ? { folder: '/pulled', file: '/pulled/broken.gguf' } : undefined),
      remove: async ({ folder, file = folder }: PlacedModel) => void removed.push(file),
    }
    const { post, member } = await openModels(undefined, { pulledModels })
    assert.equal(await post('remove', { model: 'fake-image' }, member), 403)
    assert.equal(await post('remove', { model: 'fake-chat' }), 422)
    assert.equal(await post('remove', { model: 'nothing' }), 404)
    assert.deepEqual(removed, [])
    assert.equal(await post('remove', { model: 'fake-image' }), 204)
    assert.equal(await post('remove', { model: 'broken' }), 204)
    assert.deepEqual(removed, [image, '/pulled/broken.gguf'])
  })
})

describe('a file that was left out', () => {
  const here = { file: '/pulled/broken.gguf', reason: 'is empty', removes: '/pulled/broken.gguf' }
  const described = { file: '/pulled/wrong/model.json', reason: 'is no JSON', removes: '/pulled/wrong' }
  const elsewhere = { file: '/models/broken.gguf', reason: 'is empty' }

  test('is removed by its path from the folder of pulled models, only by owners', async () => {
    const removed: PlacedModel[] = []
    const { post, member, store } = await openModels(undefined, {
      leftOutFiles: () => [here, described, elsewhere],
      pulledModels: { has: () => false, findLeftOut: () => undefined, remove: async (model) => void removed.push(model) },
    })
    const remove = (file: string, cookie?: string) => post('left-out/remove', { file }, cookie)
    assert.equal(await remove(here.file, member), 403)
    for (const file of [elsewhere.file, '/pulled/sound.gguf', '/pulled', '../pulled/broken.gguf', '/etc/passwd'])
      assert.equal(await remove(file), 404, file)
    assert.equal(await remove(''), 422)
    assert.deepEqual(removed, [])
    for (const { file } of [here, described]) assert.equal(await remove(file), 204)
    assert.deepEqual(removed, [
      { folder: '/pulled', file: here.file },
      { folder: '/pulled/wrong', file: described.file },
    ])
    const entries = await store.audit.list({ before: null, limit: 2 }, neverAborted)
    assert.deepEqual(
      entries.map(({ action, subject }) => [action, subject]),
      [
        ['model-removed', described.file],
        ['model-removed', here.file],
      ],
    )
  })
})

describe('a model on other servers', () => {
  const server = { url: 'http://10.0.0.7:8000/v1', model: 'm', answers: false, reason: 'It refused the connection.' }

  test('is shown as unavailable to everyone if none of them responds', async () => {
    let servers: readonly ModelServer[] = [server, server]
    const { list, owner, member } = await openModels(undefined, { modelServers: ({ id }) => (id === 'fake-image' ? servers : []) })
    const away = async (cookie: string) => (await list(cookie)).models.map((model) => model.away ?? false)
    assert.deepEqual(
      [await away(owner), await away(member)],
      [
        [false, true],
        [false, true],
      ],
    )
    servers = [server, { ...server, answers: null }]
    assert.deepEqual(
      [await away(owner), await away(member)],
      [
        [false, false],
        [false, false],
      ],
    )
  })
})

describe('a pull', () => {
  test('is visible to everyone until it is cleared, to other users without its address', async () => {
    const ended = Promise.withResolvers<void>()
    const pulling: PullModel = (_, { onProgress }) => {
      onProgress(50, 200)
      return ended.promise
    }
    const { post, list, member, clock } = await openModels(pulling)
    assert.equal(await post('pulls', { source }), 202)
    const startedAt = clock.now()
    const progress = { startedAt, state: 'pulling', bytesDone: 50, bytesTotal: 200, bytesPerSecond: null, reason: null, node: null }
    assert.deepEqual((await list(member)).pulls, [{ source: 'model.json', ...progress }])
    assert.deepEqual((await list()).pulls, [{ source, ...progress }])
    ended.resolve()
    await ended.promise
    assert.equal((await list()).pulls[0]?.state, 'done')
    assert.equal(await post('pulls/remove', { source }), 204)
    assert.deepEqual((await list()).pulls, [])
  })

  test('that fails shows the reason, and can be started again', async () => {
    let tries = 0
    const { post, list } = await openModels(() =>
      ++tries === 1 ? Promise.reject(new Error('There is no room on the disk.')) : Promise.resolve(),
    )
    await post('pulls', { source })
    assert.deepEqual(
      (await list()).pulls.map(({ state, reason }) => [state, reason]),
      [['failed', 'There is no room on the disk.']],
    )
    await post('pulls', { source })
    assert.equal((await list()).pulls[0]?.state, 'done')
  })

  test('is cancelled by its removal', async () => {
    const received: unknown[] = []
    const { post } = await openModels(
      (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(received.push('aborted')))),
    )
    await post('pulls', { source })
    await post('pulls/remove', { source })
    assert.deepEqual(received, ['aborted'])
  })

  test('needs a web address', async () => {
    const { post } = await openModels()
    for (const wrong of ['', 'file:///etc/passwd', 'model.json', 'javascript:alert(1)', `https://a.example/${'x'.repeat(2000)}`])
      assert.equal(await post('pulls', { source: wrong }), 422, wrong.slice(0, 30))
  })
})

test('only owners search the hub, and a rejection by the hub becomes a message', async () => {
  const requested: string[] = []
  const { send, join, firstCode } = await startConsoleService({
    searchHub: async (words) => {
      requested.push(words)
      if (words === 'deleted') throw new Error('The hub answered 503')
      return [{ source: 'hf:a/b', downloads: 3, license: null, gated: false }]
    },
  })
  const owner = await join(firstCode, 'ada@example.org')
  const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await join(code, 'bob@example.org')
  const search = (words: string, cookie: string) => send('GET', `/console/api/models/search?${new URLSearchParams({ words })}`, { cookie })
  assert.equal((await search('chat', member)).statusCode, 403)
  assert.deepEqual((await search('chat', owner)).json(), {
    models: [{ source: 'hf:a/b', downloads: 3, license: null, gated: false }],
    fault: null,
  })
  assert.match((await search('deleted', owner)).json().fault, /^Hugging Face could not be searched: The hub answered 503\. A URL/)
  for (const words of ['', 'x'.repeat(201)]) assert.equal((await search(words, owner)).statusCode, 422)
  assert.deepEqual(requested, ['chat', 'deleted'])
})
