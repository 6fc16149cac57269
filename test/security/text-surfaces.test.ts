import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { documentedRoutes } from '../../src/http/openapi/documented-routes.ts'
import { routes } from '../../src/http/routes.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { type HttpService, standardSettings, startHttpService } from '../support/http-service.ts'

const megabyte = 1024 * 1024
const options = { signal: new AbortController().signal }

const repeat = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join(',')
const message = (content: string): string => `{"model":"fake-chat","max_tokens":9,"messages":[{"role":"user","content":${content}}]}`
const response = (input: string): string => `{"model":"fake-chat","input":${input}}`
const rank = (documents: string): string => `{"model":"fake-chat","query":"x","documents":${documents}}`
const prompt = (value: string): string => `{"model":"fake-chat","prompt":${value}}`
const chat = (fields: string): string => `{"model":"fake-chat","messages":[{"role":"user","content":"Hi"}],${fields}}`
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

const hostile: readonly { readonly path: string; readonly what: string; readonly body: () => string; readonly status: number }[] = [
  { path: '/v1/messages', what: '5000 pictures', body: () => message(`[${repeat(5000, () => '{"type":"image"}')}]`), status: 400 },
  { path: '/v1/messages', what: '2 million blocks', body: () => message(`[${repeat(2_000_000, () => '{}')}]`), status: 413 },
  { path: '/v1/messages', what: 'blocks in each other', body: () => message(deep), status: 400 },
  {
    path: '/v1/messages',
    what: 'a type of 20 million letters',
    body: () => message(`[{"type":"${'x'.repeat(20 * megabyte)}"}]`),
    status: 400,
  },
  { path: '/v1/messages', what: 'a text of 30 million letters', body: () => message(`"${'hello '.repeat(5 * megabyte)}"`), status: 400 },
  {
    path: '/v1/messages',
    what: '2500 thoughts of the user',
    body: () => message(`[${repeat(2500, () => '{"type":"thinking","thinking":""}')}]`),
    status: 400,
  },
  { path: '/v1/messages/count_tokens', what: 'no limit of its own', body: () => message('"Hi"'), status: 400 },
  { path: '/v1/messages', what: 'a key that is there twice', body: () => '{"model":"a","model":"b"}', status: 400 },
  { path: '/v1/messages', what: 'a list', body: () => '[]', status: 400 },
  { path: '/v1/responses', what: '5000 foreign items', body: () => response(`[${repeat(5000, () => '{"type":"image"}')}]`), status: 400 },
  { path: '/v1/responses', what: '2 million items', body: () => response(`[${repeat(2_000_000, () => '{}')}]`), status: 413 },
  { path: '/v1/responses', what: 'items in each other', body: () => response(deep), status: 400 },
  {
    path: '/v1/responses',
    what: 'arguments of 15 million lists',
    body: () => response(`[{"type":"function_call","call_id":"a","name":"x","arguments":"${'[]'.repeat(15 * megabyte)}"}]`),
    status: 400,
  },
  {
    path: '/v1/responses',
    what: 'arguments in each other',
    body: () => response(`[{"type":"function_call","call_id":"a","name":"x","arguments":"${'['.repeat(500)}${']'.repeat(500)}"}]`),
    status: 400,
  },
  {
    path: '/v1/responses',
    what: 'namespaces full of functions by one name each',
    body: () =>
      `{"model":"fake-chat","input":"Hi","tools":[${repeat(40, (at) => `{"type":"namespace","name":"n${at}","tools":[${repeat(90, (inner) => `{"type":"function","name":"f${inner}"}`)}]}`)},{"type":"function","name":"a"},{"type":"function","name":"a"}]}`,
    status: 400,
  },
  {
    path: '/v1/responses',
    what: 'notes of a megabyte',
    body: () => `{"model":"fake-chat","input":"Hi","metadata":{"a":"${'x'.repeat(megabyte)}"}}`,
    status: 400,
  },
  {
    path: '/v1/responses',
    what: 'a response that nobody kept before it',
    body: () => `{"model":"fake-chat","input":"Hi","previous_response_id":"resp_${'0'.repeat(32)}"}`,
    status: 400,
  },
  { path: '/v1/rerank', what: '2 million documents', body: () => rank(`[${repeat(2_000_000, () => '"a"')}]`), status: 413 },
  { path: '/v1/rerank', what: '90 000 documents', body: () => rank(`[${repeat(90_000, () => '"a"')}]`), status: 400 },
  {
    path: '/v1/rerank',
    what: 'documents that are objects without text',
    body: () => rank(`[${repeat(2000, () => '{"a":1}')}]`),
    status: 400,
  },
  { path: '/v1/rerank', what: 'documents in each other', body: () => rank(deep), status: 400 },
  { path: '/v1/completions', what: '2 million tokens', body: () => prompt(`[${repeat(2_000_000, () => '5')}]`), status: 413 },
  { path: '/v1/completions', what: '9000 prompts', body: () => prompt(`[${repeat(9000, () => '[5]')}]`), status: 400 },
  {
    path: '/v1/completions',
    what: 'prompts of every kind',
    body: () => prompt(`[${repeat(30_000, (at) => ['"a"', '5', '[5]'][at % 3] ?? '')}]`),
    status: 400,
  },
  { path: '/v1/completions', what: 'prompts in each other', body: () => prompt(deep), status: 400 },
  {
    path: '/v1/chat/completions',
    what: 'notes by the thousand on a stored answer',
    body: () => chat(`"store":true,"metadata":{${repeat(5000, (at) => `"n${at}":"x"`)}}`),
    status: 400,
  },
  {
    path: '/v1/chat/completions',
    what: 'a name of a megabyte',
    body: () => `{"model":"fake-chat","messages":[{"role":"user","name":"${'x'.repeat(megabyte)}","content":"Hi"}]}`,
    status: 400,
  },
  {
    path: '/v1/chat/completions',
    what: 'a prediction of 200 000 parts',
    body: () => chat(`"prediction":{"type":"content","content":[${repeat(200_000, () => '{"type":"text","text":"a"}')}]}`),
    status: 413,
  },
  {
    path: '/v1/chat/completions',
    what: 'templates with a thousand variables',
    body: () => chat(`"chat_template_kwargs":{${repeat(1000, (at) => `"k${at}":1`)}}`),
    status: 400,
  },
  {
    path: '/api/chat',
    what: '2 million messages',
    body: () => `{"model":"fake-chat","messages":[${repeat(2_000_000, () => '{}')}]}`,
    status: 413,
  },
  { path: '/api/chat', what: 'messages in each other', body: () => `{"model":"fake-chat","messages":${deep}}`, status: 400 },
  {
    path: '/api/generate',
    what: 'a schema in itself',
    body: () => `{"model":"fake-chat","prompt":"Hi","format":{"a":${deep}}}`,
    status: 400,
  },
  {
    path: '/sdapi/v1/txt2img',
    what: '2 million styles',
    body: () => `{"prompt":"a","styles":[${repeat(2_000_000, () => '"a"')}]}`,
    status: 413,
  },
  {
    path: '/sdapi/v1/txt2img',
    what: 'scripts in each other',
    body: () => `{"prompt":"a","alwayson_scripts":{"x":{"args":${deep}}}}`,
    status: 422,
  },
  {
    path: '/sdapi/v1/txt2img',
    what: 'scripts by the thousand',
    body: () => `{"prompt":"a","alwayson_scripts":{${repeat(5000, (at) => `"s${at}":{"args":[1]}`)}}}`,
    status: 422,
  },
  {
    path: '/sdapi/v1/txt2img',
    what: 'a sampler of a megabyte',
    body: () => `{"prompt":"a","sampler_name":"${' karras'.repeat(megabyte / 7)}"}`,
    status: 422,
  },
  {
    path: '/sdapi/v1/img2img',
    what: 'a picture of 20 million letters',
    body: () => `{"prompt":"a","init_images":["${'A'.repeat(20 * megabyte)}"]}`,
    status: 422,
  },
  { path: '/sdapi/v1/png-info', what: 'a picture of brackets', body: () => `{"image":"${'['.repeat(20 * megabyte)}"}`, status: 422 },
]

/** Values that no field of these interfaces accepts, and some that a few accept. */
const wrongValues: readonly unknown[] = [
  ...[{}, [], { a: { b: 1 } }, [[[]]], true, -1, 1e308, 0.5, '', '\u0000', '\ud800', '../../etc/passwd', '<lora:x:9e9>', '{{7*7}}'],
  'x'.repeat(20_000),
]

suite('hostile bodies on the other text interfaces', () => {
  let service: HttpService
  let neighbour: string
  const delay = monitorEventLoopDelay({ resolution: 1 })
  before(async () => {
    const bodyMemory = { totalBytes: 512 * megabyte, shareBytes: 128 * megabyte }
    service = await startHttpService({ settings: { requests: { bodyLimitBytes: 32 * megabyte }, bodyMemory } })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, options)
    neighbour = await service.makeToken(['text'], { accountId: id })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const { path, what, body, status } of hostile)
    test(`${path}: ${what}: ${status}, and a concurrent request is answered`, async (context) => {
      const text = Buffer.from(body())
      delay.reset()
      delay.enable()
      const [refused, answered] = await Promise.all([
        service.fetch(path, { method: 'POST', body: text }),
        service.fetch('/v1/messages', { method: 'POST', body: message('"Hi"'), token: neighbour }),
      ])
      const answer = await refused.text()
      delay.disable()
      context.diagnostic(`${(text.length / megabyte).toFixed(1)} MiB, the event loop held ${(delay.max / 1e6).toFixed(0)} ms`)
      assert.equal(refused.status, status, answer.slice(0, 500))
      assert.ok(answer.length < 3000, `${answer.length} characters`)
      assert.equal(answered.status, 200)
      assert.deepEqual(service.failures, [])
    })

  for (const [name, address] of [
    ['Ollama', /^\/api\/(?:chat|generate|embed|show)/],
    ['A1111', /^\/sdapi\//],
  ] as const)
    test(`each field of ${name}'s interface rejects or accepts invalid values, in one sentence`, async (context) => {
      let sent = 0
      for (const { path, method, body, example = {} } of documentedRoutes(routes, standardSettings)) {
        if (body === undefined || !address.test(path)) continue
        for (const field of Object.keys(body.properties))
          for (const value of wrongValues) {
            const base = 'model' in example ? { ...example, model: 'fake-chat' } : { ...example, width: 64, height: 64, steps: 1 }
            const answer = await service.fetch(path, { method, body: JSON.stringify({ ...base, [field]: value }) })
            const text = await answer.text()
            sent += 1
            assert.ok(answer.status < 500, `${path} ${field} ${JSON.stringify(value).slice(0, 40)}: ${answer.status} ${text.slice(0, 200)}`)
            if (answer.status !== 200) assert.ok(text.length < 3000, `${path} ${field}: ${text.length} characters`)
          }
      }
      context.diagnostic(`${sent} requests`)
      assert.ok(sent >= 200)
      assert.deepEqual(service.failures, [])
    })

  test('another account cannot continue, read, cancel or delete a response', async () => {
    const { id } = JSON.parse(await (await service.fetch('/v1/responses', { json: { model: 'fake-chat', input: 'Hi' } })).text())
    const json = { model: 'fake-chat', input: 'Hi', previous_response_id: id }
    assert.equal((await service.fetch('/v1/responses', { json, token: neighbour })).status, 400)
    for (const [method, address] of [
      ['GET', id],
      ['DELETE', id],
      ['POST', `${id}/cancel`],
      ['GET', `${id}/input_items`],
    ])
      assert.equal((await service.fetch(`/v1/responses/${address}`, { method, token: neighbour })).status, 404, address)
    assert.equal((await service.fetch(`/v1/responses/${id}`)).status, 200)
  })

  test('stored chats are visible only to their account, and lists read few rows at a time', async (context) => {
    const text = 'x'.repeat(100_000)
    const json = { model: 'fake-chat', messages: [{ role: 'user', content: `[say Hi] ${text}` }], store: true, metadata: { topic: 'cats' } }
    const ids: string[] = []
    for (let index = 0; index < 40; index++) ids.push(JSON.parse(await (await service.fetch('/v1/chat/completions', { json })).text()).id)
    delay.reset()
    delay.enable()
    const [listed, answered] = await Promise.all([
      service.fetch('/v1/chat/completions?limit=100&metadata[topic]=cats'),
      service.fetch('/v1/messages', { method: 'POST', body: message('"Hi"'), token: neighbour }),
    ])
    assert.equal(JSON.parse(await listed.text()).data.length, 40)
    delay.disable()
    context.diagnostic(`the event loop held ${(delay.max / 1e6).toFixed(0)} ms`)
    assert.equal(answered.status, 200)
    for (const path of [`/v1/chat/completions/${ids[0]}`, `/v1/chat/completions/${ids[0]}/messages`])
      assert.equal((await service.fetch(path, { token: neighbour })).status, 404)
    const many = Array.from({ length: 300 }, (_, index) => `metadata[n${index}]=x`).join('&')
    assert.ok([200, 400, 414, 431].includes((await service.fetch(`/v1/chat/completions?${many}`)).status))
  })

  test('stored responses are limited by the storage of the account', async () => {
    await using small = await startHttpService({ settings: { accounts: { documentBytes: 3000 } } })
    const ask = async () => (await small.fetch('/v1/responses', { json: { model: 'fake-chat', input: 'Hi' } })).status
    assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429])
    await small.inBooks(2)
    assert.equal(small.booked.length, 2, 'a response without room costs nothing')
    const unkept = { model: 'fake-chat', input: 'Hi', store: false }
    assert.equal((await small.fetch('/v1/responses', { json: unkept })).status, 200)
  })
})
