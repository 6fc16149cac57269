import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ModelPool, ModelState } from '../../src/core/ports/model-pool.ts'
import { createFakeCatalog, describeFakeImage, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const catalog = createFakeCatalog([
  describeFakeText({ ranks: false, id: 'org/chat', contextLength: 2048, embeddings: false }),
  describeFakeImage({ sizes: { type: 'list', sizes: [{ width: 64, height: 64 }] }, refiner: '/fake/refiner' }),
])

function poolIn(state: ModelState['state']): ModelPool {
  const states = () => [{ modelId: 'org/chat', state, memoryBytes: 0, slots: 1, inUse: 0, waiting: 0 }]
  return { ...createFixedModelPool({}), states }
}

suite('models', () => {
  test('being pulled are listed too, without their source address', async () => {
    const pull = { startedAt: 1, state: 'pulling', bytesDone: 5, bytesTotal: 0, bytesPerSecond: 2.4, reason: null, node: 'one' } as const
    const pulls = {
      list: () => [
        { ...pull, source: 'http://10.0.0.9/secret/model.json?key=1' },
        { ...pull, source: 'hf:org/chat', bytesTotal: 10, bytesPerSecond: null, node: null },
        { ...pull, source: 'hf:org/other', state: 'failed' as const, reason: 'There is no room.' },
      ],
      start: () => true,
    }
    await using service = await startHttpService({ catalog, overrides: { pulls } })
    assert.deepEqual((await readJson(await service.fetch('/v1/models'))).pulls, [
      { source: 'model.json', bytes_done: 5, bytes_total: null, bytes_per_second: 2, node: 'one' },
      { source: 'hf:org/chat', bytes_done: 5, bytes_total: 10, bytes_per_second: null, node: null },
    ])
    await using idle = await startHttpService({ catalog, overrides: { pulls: { list: () => [], start: () => true } } })
    assert.equal('pulls' in (await readJson(await idle.fetch('/v1/models'))), false)
  })

  test('are listed with their capabilities and whether they are loaded', async () => {
    await using service = await startHttpService({ catalog, pool: poolIn('loaded') })
    const { object, data } = await readJson(await service.fetch('/v1/models'))
    assert.equal(object, 'list')
    const [chat, image]: Record<string, unknown>[] = JSON.parse(JSON.stringify(data))
    assert.deepEqual(chat, {
      id: 'org/chat',
      object: 'model',
      created: 1_767_225_600,
      owned_by: 'sepia',
      name: 'Fake Chat',
      kind: 'text',
      license: null,
      loaded: true,
      state: 'loaded',
      device: null,
      capabilities: ['chat', 'completions'],
      context_length: 2048,
      max_model_len: 2048,
    })
    assert.deepEqual([image?.loaded, image?.state, image?.capabilities], [false, 'unloaded', ['images', 'refiner']])
    assert.deepEqual(image?.sizes, { type: 'list', sizes: [{ width: 64, height: 64 }] })
  })

  test("have the weight fields that llama.cpp's clients read", async () => {
    const weights = {
      architecture: 'llama',
      parameters: 1000,
      quantization: 'Q8_0',
      layers: 2,
      vocabularySize: 64,
      cacheBytesPerToken: 8,
    }
    await using service = await startHttpService({
      catalog: createFakeCatalog([describeFakeText({ weights, trainedLength: 4096, bytes: 77 })]),
    })
    const { meta } = await readJson(await service.fetch('/v1/models/fake-chat'))
    assert.deepEqual(meta, { n_vocab: 64, n_ctx_train: 4096, n_params: 1000, size: 77 })
  })

  test('report the context length of model.json, or else that of their file', async () => {
    const texts = [{ contextLength: 2048, trainedLength: 4096 }, { contextLength: null, trainedLength: 4096 }, { contextLength: null }]
    for (const [index, expected] of [2048, 4096, null].entries()) {
      await using service = await startHttpService({ catalog: createFakeCatalog([describeFakeText(texts[index])]) })
      assert.equal((await readJson(await service.fetch('/v1/models/fake-chat'))).context_length, expected)
    }
  })

  test('report the context length of their engine once they are loaded', async () => {
    const state = { modelId: 'org/chat', state: 'loaded', memoryBytes: 0, slots: 1, inUse: 0, waiting: 0, contextLength: 512 } as const
    await using service = await startHttpService({ catalog, pool: { ...createFixedModelPool({}), states: () => [state] } })
    assert.equal((await readJson(await service.fetch('/v1/models/org/chat'))).context_length, 512)
  })

  test('are found by names with slashes, encoded or not', async () => {
    await using service = await startHttpService({ catalog })
    for (const path of ['/v1/models/org/chat', '/v1/models/org%2Fchat'])
      assert.equal((await readJson(await service.fetch(path))).id, 'org/chat', path)
    const unknown = await service.fetch('/v1/models/org/other')
    assert.equal(unknown.status, 404)
    const error = await readError(unknown)
    assert.equal(error.code, 'model_not_found')
    assert.match(error.message, /org\/chat, fake-image/)
  })

  test('a path with an extra slash is rejected with the right one, also where a model id would start', async () => {
    await using service = await startHttpService({ catalog })
    for (const path of [
      '/v1/models/',
      '/v1//models',
      '/v1/models//',
      '/v1/usage/',
      '/v1/files/',
      '/v1/batches/',
      '/v1/requests/',
      '/v1/chat/completions/',
      '/v1/requests/?a=1',
      '/v1/chat/completions/?a=1',
    ]) {
      const answer = await service.fetch(path)
      assert.equal(answer.status, 404, path)
      assert.match((await readError(answer)).message, /^This address does not exist; use `(\/\w+)+`, without a doubled slash/, path)
    }
    assert.equal((await service.fetch('/v1/models/org/chat/')).status, 404)
    for (const path of ['/v1/models/', '/v1/chat/completions/', '/v1/responses/'])
      assert.equal((await service.fetch(path, { method: 'POST', json: {} })).status, 404, path)
  })

  test('the service is ready while it can run any of them', async () => {
    const only = createFakeCatalog([describeFakeText({ ranks: false, id: 'org/chat' })])
    for (const [state, status] of [
      ['unloaded', 200],
      ['loading', 200],
      ['loaded', 200],
      ['backing-off', 503],
    ] as const) {
      await using service = await startHttpService({ catalog: only, pool: poolIn(state) })
      const answer = await service.fetch('/readyz', { token: null })
      assert.equal(answer.status, status, state)
      assert.equal(answer.headers.has('retry-after'), status === 503)
    }
    await using homeless = await startHttpService({
      overrides: { findStorageFault: async () => 'or its contents are missing; restore them, or start the service again' },
    })
    const gone = await homeless.fetch('/readyz', { token: null })
    assert.equal(gone.status, 503)
    assert.match(await gone.text(), /The data folder of the service or its contents are missing/)
    await using full = await startHttpService({ overrides: { findStorageFault: async () => 'is full; free space on its disk' } })
    assert.match(
      await (await full.fetch('/readyz', { token: null })).text(),
      /The data folder of the service is full; free space on its disk\./,
    )
    const books = { append: async () => {}, owed: 1 }
    await using owing = await startHttpService({ overrides: { books } })
    // Other nodes cannot reach a shared database either.
    assert.equal((await owing.fetch('/readyz', { token: null })).status, 200)
    const chat = { model: 'fake-chat', messages: [{ role: 'user', content: 'hello' }] }
    const refused = await owing.fetch('/v1/chat/completions', { json: { ...chat, stream: true } })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'])
    await using empty = await startHttpService({ catalog: createFakeCatalog([]) })
    assert.equal((await empty.fetch('/readyz', { token: null })).status, 503)
    const image = await empty.fetch('/generate/sdxl', { json: { prompt: 'a tiger' } })
    assert.equal(image.status, 404)
    assert.equal((await readError(image)).code, 'model_not_found')
  })
})

test('a missing or unknown text model is rejected with the installed names and the nearest', async () => {
  await using service = await startHttpService()
  const ask = async (body: object) => {
    const answer = await service.fetch('/v1/chat/completions', { json: { messages: [{ role: 'user', content: 'Hi' }], ...body } })
    return [answer.status, JSON.parse(await answer.text()).error.message]
  }
  assert.deepEqual(await ask({}), [400, '`model` is required; use one of: fake-chat.'])
  const [status, message] = await ask({ model: 'fake-chad' })
  assert.equal(status, 404)
  assert.match(message, /use one of: .*fake-chat.* Did you mean fake-chat\?$/)
  const embed = async (path: string, body: object) => [path, (await readError(await service.fetch(path, { json: body }))).message]
  for (const [path, body] of [
    ['/v1/embeddings', { input: 'Hi' }],
    ['/api/embed', { input: 'Hi' }],
    ['/api/embeddings', { prompt: 'Hi' }],
  ] as const)
    assert.deepEqual(await embed(path, body), [path, '`model` is required; use one of: fake-chat.'])
})

test('models named in settings replace missing or unknown ones, and the answer names them', async () => {
  await using service = await startHttpService({ settings: { models: { defaults: { text: 'fake-chat', image: 'fake-image' } } } })
  const chat = (body: object) =>
    service.fetch('/v1/chat/completions', { json: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 2, ...body } })
  const left = await chat({})
  assert.deepEqual([left.status, left.headers.get('x-service-warning')], [200, null])
  const unknown = await chat({ model: 'gpt-4o' })
  assert.equal(JSON.parse(await unknown.text()).model, 'fake-chat')
  assert.equal(unknown.headers.get('x-service-warning'), 'The model is not installed; fake-chat answers instead.')
  assert.equal((await chat({ model: 'fake-image' })).status, 404)
  const message = await service.fetch('/v1/messages', {
    json: { model: 'claude', max_tokens: 2, messages: [{ role: 'user', content: 'Hi' }] },
  })
  assert.equal(message.status, 200)
  const text = { model: 'gpt-4o', stream: false }
  const messages = [{ role: 'user', content: 'Hi' }]
  for (const [path, json] of [
    ['/v1/completions', { ...text, prompt: 'Hi', max_tokens: 2 }],
    ['/v1/responses', { ...text, input: 'Hi', max_output_tokens: 16 }],
    ['/v1/messages/count_tokens', { model: 'gpt-4o', messages }],
    ['/tokenize', { model: 'gpt-4o', content: 'Hi' }],
    ['/detokenize', { model: 'gpt-4o', tokens: [1] }],
    ['/apply-template', { model: 'gpt-4o', messages }],
    ['/completion', { ...text, prompt: 'Hi', n_predict: 2 }],
    ['/api/chat', { ...text, messages }],
    ['/api/generate', { ...text, prompt: 'Hi' }],
  ] as const) {
    const { status, headers } = await service.fetch(path, { json })
    assert.deepEqual(
      [path, status, headers.get('x-service-warning')],
      [path, 200, 'The model is not installed; fake-chat answers instead.'],
    )
  }
  const image = encodeSolidPng(64, 64, 7)
  const edit = () => {
    const data = new FormData()
    for (const [name, value] of Object.entries({ prompt: 'a cat', model: 'dall-e-3', size: '64x64' })) data.append(name, value)
    data.append('image', new Blob([image]))
    const headers = { authorization: `Bearer ${service.token}` }
    return fetch(`${service.url}/v1/images/edits`, { method: 'POST', body: data, headers })
  }
  for (const [path, init] of [
    ['/generate/sdxl', { json: { prompt: 'a cat', steps: 1, model: 'dall-e-3' } }],
    ['/generate/image', { json: { prompt: 'a cat', steps: 1, model: 'dall-e-3' } }],
    ['/v1/images/generations', { json: { prompt: 'a cat', model: 'dall-e-3' } }],
    ['/sdapi/v1/txt2img', { json: { steps: 1, override_settings: { sd_model_checkpoint: 'v1-5-pruned.ckpt [cc6cb27103]' } } }],
  ] as const) {
    const answer = await service.fetch(path, init)
    assert.deepEqual([path, answer.status], [path, 200])
    assert.match(answer.headers.get('x-service-warning') ?? '', /the default image model draws instead/)
  }
  const edited = await edit()
  assert.equal(edited.status, 200, await edited.text())
  assert.match(edited.headers.get('x-service-warning') ?? '', /the default image model draws instead/)
  const enlarged = await service.fetch('/upscaling', { json: { init_image: Buffer.from(image).toString('base64'), scale: 2, model: '9x' } })
  assert.deepEqual([enlarged.status, enlarged.headers.get('x-service-warning')], [404, null])
  assert.equal((await service.fetch('/v1/embeddings', { json: { model: 'unknown', input: 'x' } })).status, 404)
})
