import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createAccount } from '../../src/operations/access/create-account.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

const megabyte = 1024 * 1024
const options = { signal: new AbortController().signal }

const repeat = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join(',')
const message = (content: string): string => `{"model":"fake-chat","max_tokens":9,"messages":[{"role":"user","content":${content}}]}`
const response = (input: string): string => `{"model":"fake-chat","input":${input}}`
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
    what: '2500 results that answer nothing',
    body: () => message(`[${repeat(2500, (at) => `{"type":"tool_result","tool_use_id":"a${at}"}`)}]`),
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
]

suite('hostile bodies on the other interfaces for text', () => {
  let service: HttpService
  let neighbour: string
  const delay = monitorEventLoopDelay({ resolution: 1 })
  before(async () => {
    const bodyMemory = { totalBytes: 512 * megabyte, shareBytes: 128 * megabyte }
    service = await startHttpService({ settings: { bodyLimitBytes: 32 * megabyte, bodyMemory } })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, options)
    neighbour = await service.makeToken(['text'], { accountId: id })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const { path, what, body, status } of hostile)
    test(`${path}: ${what}: ${status}, and a neighbour is answered`, async (context) => {
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

  test('another account cannot go on from a response, read it, cancel it or delete it', async () => {
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

  test('kept responses are bounded by what an account may keep', async () => {
    await using small = await startHttpService({ settings: { mostDocumentBytes: 3000 } })
    const ask = async () => (await small.fetch('/v1/responses', { json: { model: 'fake-chat', input: 'Hi' } })).status
    assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429])
    const unkept = { model: 'fake-chat', input: 'Hi', store: false }
    assert.equal((await small.fetch('/v1/responses', { json: unkept })).status, 200)
  })
})
