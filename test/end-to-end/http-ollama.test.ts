import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../src/core/error.ts'
import type { PullDesk } from '../../src/core/model-pull.ts'
import type { ModelPool } from '../../src/core/ports/model-pool.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextRequest } from '../../src/core/text-generation.ts'
import { toOllamaError } from '../../src/http/wire/ollama/ollama-error.ts'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createTestClock } from '../support/test-clock.ts'

const user = (content: string) => ({ role: 'user', content })
const weather = { type: 'function', function: { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } } }

suite("Ollama's interface", () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const ask = async (path: string, json: object, init: RequestInit = {}) => {
    const response = await service.fetch(path, { json, ...init })
    const text = await response.text()
    return { status: response.status, type: response.headers.get('content-type'), answer: text === '' ? null : JSON.parse(text) }
  }
  const lines = async (path: string, json: object) => {
    const response = await service.fetch(path, { json })
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
    const text = await response.text()
    assert.ok(text.endsWith('\n'))
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  test('a chat is streamed as lines, the last with statistics', async () => {
    const answered = await lines('/api/chat', { model: 'fake-chat', messages: [user('[say Hello there]')] })
    assert.equal(answered.map(({ message }) => message.content).join(''), 'Hello there')
    assert.deepEqual(new Set(answered.slice(0, -1).map(({ done }) => done)), new Set([false]))
    const last = answered.at(-1)
    assert.deepEqual([last.done, last.done_reason, last.prompt_eval_count, last.eval_count], [true, 'stop', 3, 2])
    for (const field of ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'])
      assert.ok(Number.isInteger(last[field]) && last[field] >= 0, field)
    assert.equal(new Date(last.created_at).toISOString(), last.created_at)
  })

  test('a whole answer has the content of the lines', async () => {
    const { status, answer } = await ask('/api/chat', { model: 'fake-chat', messages: [user('[say one two three]')], stream: false })
    assert.deepEqual([status, answer.message, answer.done_reason], [200, { role: 'assistant', content: 'one two three' }, 'stop'])
    const limited = await ask('/api/chat', {
      model: 'fake-chat',
      messages: [user('[say one two three]')],
      options: { num_predict: 2 },
      stream: false,
    })
    assert.equal(limited.answer.done_reason, 'length')
  })

  test('thoughts and calls are separate from the text, each call in one line', async () => {
    const thought = await lines('/api/chat', { model: 'fake-chat', messages: [user('[think Hm.] [say Four.]')], think: true })
    assert.equal(thought.map(({ message }) => message.thinking ?? '').join(''), 'Hm.')
    assert.equal(thought.map(({ message }) => message.content).join(''), 'Four.')
    const body = { model: 'fake-chat', messages: [user('[call get_weather {"city":"Oslo"}]')], tools: [weather] }
    const answered = await lines('/api/chat', body)
    const [calls] = answered.flatMap(({ message }) => (message.tool_calls ? [message.tool_calls] : []))
    assert.deepEqual(calls[0].function, { index: 0, name: 'get_weather', arguments: { city: 'Oslo' } })
    const { answer } = await ask('/api/chat', { ...body, stream: false })
    assert.deepEqual(answer.message.tool_calls[0].function.arguments, { city: 'Oslo' })
  })

  test('a prompt is answered in the field response', async () => {
    const { answer } = await ask('/api/generate', { model: 'fake-chat', prompt: '[say yes]', stream: false })
    assert.deepEqual([answer.response, answer.message, answer.done], ['yes', undefined, true])
    const answered = await lines('/api/generate', { model: 'fake-chat', prompt: '[say a b]' })
    assert.equal(answered.map(({ response }) => response).join(''), 'a b')
  })

  test('a failure in a stream is a line with the error', async () => {
    const answered = await lines('/api/generate', { model: 'fake-chat', prompt: '[fail inference_failed after 2]' })
    assert.deepEqual(Object.keys(answered.at(-1)), ['error', 'code'])
    assert.equal(answered.at(-1).code, 'inference_failed')
  })

  test('a request without a prompt loads the model', async () => {
    const { answer } = await ask('/api/generate', { model: 'fake-chat' })
    assert.deepEqual([answer.done, answer.done_reason, answer.response], [true, 'load', ''])
    const chat = await ask('/api/chat', { model: 'fake-chat', messages: [] })
    assert.deepEqual([chat.answer.done_reason, chat.answer.message.content], ['load', ''])
  })

  test('keep_alive: 0 with a prompt unloads the model after the answer, for owners only', async () => {
    const clock = createTestClock()
    const unloaded: string[] = []
    const next = Promise.withResolvers<void>()
    const fixed = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock }) }, image: {} })
    const pool: ModelPool = {
      ...fixed,
      async unload(id) {
        unloaded.push(id)
        if (unloaded.length === 4) next.resolve()
        return true
      },
    }
    await using own = await startHttpService({ clock, catalog: createFakeCatalog([describeFakeText()]), pool })
    const limited = await own.makeToken(['text'])
    const model = 'fake-chat'
    const requests = [
      ['/api/chat', { messages: [user('[say yes]')] }],
      ['/api/generate', { prompt: '[say yes]', stream: false }],
      ['/api/embed', { input: 'a cat' }],
      ['/api/embeddings', { prompt: 'a cat' }],
    ] as const
    for (const [path, body] of requests) {
      for (const json of [
        { model, ...body, keep_alive: '5m' },
        { model, ...body, keep_alive: 0 },
      ]) {
        const response = await own.fetch(path, { json, token: limited })
        assert.equal(response.status, 200)
        await response.text()
      }
      assert.deepEqual(unloaded, [])
    }
    for (const [path, body] of requests) await (await own.fetch(path, { json: { model, ...body, keep_alive: '0s' } })).text()
    await next.promise
    assert.deepEqual(unloaded, [model, model, model, model])
  })

  test('embeddings are returned in both formats', async () => {
    const { answer } = await ask('/api/embed', { model: 'fake-chat', input: ['a cat', 'a dog'] })
    assert.deepEqual([answer.embeddings.length, answer.model, answer.prompt_eval_count], [2, 'fake-chat', 4])
    const one = await ask('/api/embeddings', { model: 'fake-chat', prompt: 'a cat' })
    assert.deepEqual(one.answer.embedding, answer.embeddings[0])
  })

  test('empty input returns no vector, as clients send it to load a model', async () => {
    for (const input of ['', []]) {
      const { status, answer } = await ask('/api/embed', { model: 'fake-chat', input })
      assert.deepEqual([status, answer.embeddings, answer.prompt_eval_count], [200, [], 0])
    }
    const older = await ask('/api/embeddings', { model: 'fake-chat', prompt: '' })
    assert.deepEqual([older.status, older.answer], [200, { embedding: [] }])
    assert.equal((await ask('/api/embed', { model: 'nothing', input: '' })).status, 404)
  })

  test('the sampling defaults of model.json apply, also the penalty, which has another name here', async () => {
    const clock = createTestClock()
    const fake = createFakeTextModel({ clock })
    const seen: TextRequest['sampling'][] = []
    const watched: TextModel = {
      ...fake,
      generate(request, options) {
        seen.push(request.sampling)
        return fake.generate(request, options)
      },
    }
    await using own = await startHttpService({
      clock,
      catalog: createFakeCatalog([describeFakeText({ defaults: { temperature: 0.3, repetitionPenalty: 1.3 } })]),
      pool: createFixedModelPool({ text: { 'fake-chat': watched }, image: {} }),
    })
    for (const options of [{}, { repeat_penalty: 1.1 }])
      await own.fetch('/api/generate', { json: { model: 'fake-chat', prompt: '[say yes]', stream: false, options } })
    assert.deepEqual(
      seen.map(({ temperature, repetitionPenalty }) => [temperature, repetitionPenalty]),
      [
        [0.3, 1.3],
        [0.3, 1.1],
      ],
    )
    const refused = await own.fetch('/api/generate', { json: { model: 'fake-chat', prompt: 'a', options: { repetition_penalty: 1.1 } } })
    assert.equal(refused.status, 400)
  })

  test('an empty suffix is ignored', async () => {
    const { answer } = await ask('/api/generate', {
      model: 'fake-chat',
      prompt: '[say yes]',
      system: 'Be brief.',
      suffix: '',
      stream: false,
    })
    assert.equal(answer.response, 'yes')
    assert.equal((await ask('/api/generate', { model: 'fake-chat', prompt: '', suffix: '' })).answer.done_reason, 'load')
  })

  test("a body is read as JSON with curl's default content type, and with no other", async () => {
    const send = (type: string) =>
      service.fetch('/api/generate', {
        json: { model: 'fake-chat', prompt: '[say yes]', stream: false },
        headers: { 'content-type': type },
      })
    assert.equal((await send('application/x-www-form-urlencoded')).status, 200)
    for (const type of ['text/plain', 'multipart/form-data; boundary=x']) assert.equal((await send(type)).status, 415)
  })

  test('an invalid reasoning level is rejected with the name of the sent field', async () => {
    const message = 'This model has no setting for how long it reasons; leave `reasoning_effort` out.'
    assert.match(toOllamaError(new ServiceError('unsupported_parameter', message)).error, /leave `think` out/)
  })

  test('models are listed with their properties', async () => {
    const tags = await (await service.fetch('/api/tags')).json()
    const found = Object(tags).models.find(({ name }: { name: string }) => name === 'fake-chat')
    assert.match(found.digest, /^[0-9a-f]{64}$/)
    assert.deepEqual(Object.keys(found.details), ['parent_model', 'format', 'family', 'families', 'parameter_size', 'quantization_level'])
    assert.ok(Array.isArray(Object(await (await service.fetch('/api/ps')).json()).models))
    const { answer } = await ask('/api/show', { model: 'fake-chat:latest' })
    assert.deepEqual(answer.capabilities, ['completion', 'tools', 'embedding'])
  })

  test('aliases and tags refer to the same model, on every interface', async () => {
    await using named = await startHttpService({ settings: { models: { aliases: { 'gpt-4o': 'fake-chat' } } } })
    for (const model of ['gpt-4o', 'fake:chat', 'fake-chat:latest'])
      for (const path of ['/api/chat', '/v1/chat/completions', '/v1/messages']) {
        const response = await named.fetch(path, {
          json: {
            model,
            messages: [user('[say yes]')],
            max_tokens: 5,
            stream: false,
            ...(path === '/api/chat' && { max_tokens: undefined }),
          },
        })
        assert.deepEqual([response.status, Object(await response.json()).model], [200, 'fake-chat'], `${model} ${path}`)
      }
    const { data } = Object(await (await named.fetch('/v1/models')).json())
    assert.deepEqual(
      data.filter(({ id }: { id: string }) => id === 'gpt-4o').map(({ alias_of: of }: { alias_of: string }) => of),
      ['fake-chat'],
    )
    assert.equal(Object(await (await named.fetch('/v1/models/gpt-4o')).json()).id, 'fake-chat')
  })

  test('only the version needs no token', async () => {
    const version = await service.fetch('/api/version', { token: null })
    assert.match(Object(await version.json()).version, /^\d+\.\d+\.\d+$/)
    const refused = await service.fetch('/api/tags', { token: null })
    assert.deepEqual([refused.status, Object(await refused.json()).code], [401, 'missing_token'])
  })

  for (const [name, path, body, status, says] of [
    ['a model that is not there', '/api/chat', { model: 'nothing', messages: [user('a')] }, 404, /nothing/],
    [
      'a context larger than the model’s',
      '/api/chat',
      { model: 'fake-chat', messages: [user('a')], options: { num_ctx: 2 ** 20 } },
      400,
      /num_ctx/,
    ],
    ['a field that means nothing', '/api/generate', { model: 'fake-chat', prompt: 'a', adapter: 'x' }, 400, /adapter/],
    [
      'a field of another interface',
      '/api/generate',
      { model: 'fake-chat', prompt: 'a', reasoning_effort: 'low' },
      400,
      /`reasoning_effort`/,
    ],
    ['a name of Ollama’s registry', '/api/pull', { model: 'llama3.2' }, 422, /hf\.co/],
    ['a model that was not pulled', '/api/delete', { model: 'fake-chat' }, 422, /was not pulled/],
    ['making a model', '/api/create', { model: 'x' }, 404, /does not offer/],
  ] as const)
    test(`${name} is rejected in one sentence`, async () => {
      const refused = await ask(path, body, path === '/api/delete' ? { method: 'DELETE' } : {})
      assert.deepEqual([refused.status, typeof refused.answer.error], [status, 'string'])
      assert.match(refused.answer.error, says)
    })
})

test('a pull reports its progress and ends with success', async () => {
  const clock = createTestClock()
  const started: string[] = []
  let looks = 0
  const pulls: PullDesk = {
    list: () =>
      started.map((source) => {
        looks += 1
        const state = looks > 3 ? 'done' : 'pulling'
        return { source, startedAt: 0, state, bytesDone: looks * 20, bytesTotal: 100, bytesPerSecond: null, reason: null, node: null }
      }),
    start: (source) => started.push(source) > 0,
    remove: () => false,
  }
  await using service = await startHttpService({ clock, overrides: { pulls } })
  const response = await service.fetch('/api/pull', { json: { model: 'hf.co/a/b:Q4_0' } })
  let isOver = false
  const reading = response.text().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await clock.advance(500)
    await setImmediate()
  }
  const source = 'hf:a/b:Q4_0'
  assert.deepEqual(started, [source])
  const progress = (completed: number) => ({ status: `pulling ${source}`, digest: source, total: 100, completed })
  assert.deepEqual(
    (await reading)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [{ status: 'pulling manifest' }, progress(20), progress(40), progress(60), { status: 'success' }],
  )
})
