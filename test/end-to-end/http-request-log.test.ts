import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { BodyDropReason } from '../../src/core/requests/logged-body.ts'
import { switchBodyLogOff, switchBodyLogOn } from '../../src/operations/bodies/body-log.ts'
import { BodyRecorder } from '../../src/operations/bodies/body-recorder.ts'
import { findBodies } from '../../src/operations/bodies/kept-bodies.ts'
import { startHttpService } from '../support/http-service.ts'
import { createMemoryBodyKeys } from '../support/memory/create-memory-body-keys.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../support/memory/create-memory-store.ts'

const options = { signal: new AbortController().signal }
const hourMs = 60 * 60 * 1000
const messages = [{ role: 'user', content: '[say a secret answer] please' }]
const chat = { model: 'fake-chat', messages, max_tokens: 8 }

/** The service with its log on for the one account by default. */
async function startLogged({ on = true, slow = null }: { on?: boolean; slow?: Promise<void> | null } = {}) {
  const clock = createSystemClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 100 } })
  const outputs = createMemoryOutputs({ clock })
  const keys = createMemoryBodyKeys()
  const dropped: BodyDropReason[] = []
  const { documents } = store
  const slowly =
    slow === null
      ? documents
      : {
          ...store.documents,
          list: documents.list.bind(documents),
          get: documents.get.bind(documents),
          sum: documents.sum.bind(documents),
          remove: documents.remove.bind(documents),
          put: async (...put: Parameters<typeof documents.put>) => slow.then(() => documents.put(...put)),
        }
  const bodies = new BodyRecorder({
    documents: slowly,
    outputs,
    clock,
    keys,
    mostBytes: 1e8,
    onDropped: ({ reason }) => dropped.push(reason),
    onFault: () => {},
  })
  const service = await startHttpService({ clock, open: () => store, worker: true, overrides: { outputs, bodies } })
  const { accountId } = service
  const deps = { documents, outputs, clock, keys, mostKeepMs: 48 * hourMs }
  if (on) await switchBodyLogOn(deps, { accountId, keepMs: 48 * hourMs, forMs: null }, options)
  await bodies.refresh(options)
  /** The stored parts of a request: path, status and text of each. */
  const kept = async (requestId: string) => {
    await service.settled(1)
    await bodies[Symbol.asyncDispose]()
    const found = await findBodies(deps, { accountId, requestId }, options)
    return found.map((body) =>
      'unreadable' in body ? [body.part] : [body.part, body.path, body.status, Buffer.from(body.bytes).toString()],
    )
  }
  return Object.assign(service, { kept, dropped, bodies, deps })
}

describe('the request log, switched on', () => {
  for (const [path, body] of [
    ['/v1/chat/completions', chat],
    ['/v1/completions', { model: 'fake-chat', prompt: 'once', max_tokens: 4 }],
    ['/v1/messages', { ...chat }],
    ['/v1/responses', { model: 'fake-chat', input: 'hello', max_output_tokens: 16 }],
    ['/v1/embeddings', { model: 'fake-chat', input: 'hello' }],
    ['/v1/rerank', { model: 'fake-chat', query: 'a', documents: ['b', 'c'] }],
    ['/v1/images/generations', { prompt: 'a tiger', size: '256x256' }],
    ['/generate/sdxl', { prompt: 'a tiger', width: 256, height: 256 }],
    ['/v1/chat/completions', { ...chat, stream: true }],
    ['/v1/messages', { ...chat, stream: true }],
    ['/v1/responses', { model: 'fake-chat', input: 'hello', stream: true }],
    ['/v1/chat/completions', { ...chat, max_tokens: -1 }],
  ] as const)
    test(`stores request and answer of ${path}, ${JSON.stringify(body).slice(0, 60)}`, async () => {
      await using service = await startLogged()
      const answer = await service.fetch(path, { json: body, headers: { 'x-request-id': 'mine' } })
      const text = await answer.text()
      assert.equal(answer.headers.get('x-request-log'), '48h')
      assert.deepEqual(await service.kept('mine'), [
        ['request', path, null, JSON.stringify(body)],
        ['answer', null, answer.status, text],
      ])
      assert.deepEqual(service.dropped, [])
    })

  test('stores a form with its files', async () => {
    await using service = await startLogged()
    const form = new FormData()
    form.set('prompt', 'a tiger in a form')
    const headers = { authorization: `Bearer ${service.token}`, 'x-request-id': 'mine' }
    const answer = await fetch(`${service.url}/v1/images/edits`, { method: 'POST', body: form, headers })
    await answer.arrayBuffer()
    const [request] = await service.kept('mine')
    assert.equal(request?.[1], '/v1/images/edits')
    assert.match(String(request?.[3]), /a tiger in a form/)
  })

  test('stores an asynchronous request under its own id, with the fetched output', async () => {
    await using service = await startLogged()
    const submitted = await service.fetch('/v1/chat/completions', { json: chat, headers: { 'x-service-async': '1' } })
    const { response_id: id } = (await submitted.json()) as { response_id: string }
    await service.fetch(`/v1/requests/${id}?wait=60`)
    const output = await (await service.fetch(`/v1/responses/${id}`)).text()
    assert.match(output, /a secret answer/)
    assert.deepEqual(await service.kept(id), [
      ['request', '/v1/chat/completions', null, JSON.stringify(chat)],
      ['answer', null, null, output],
    ])
  })

  test('stores all requests that a client sends with the same id', async () => {
    await using service = await startLogged()
    const texts = ['the first', 'the second', 'the third']
    for (const text of texts)
      await (
        await service.fetch('/v1/chat/completions', {
          json: { ...chat, messages: [{ role: 'user', content: text }] },
          headers: { 'x-request-id': 'mine' },
        })
      ).text()
    await service.settled(3)
    const requested = (await service.kept('mine'))
      .filter(([, path]) => path !== null)
      .map(([, , , text]) => JSON.parse(String(text)).messages[0].content)
    assert.deepEqual(requested.sort(), texts.toSorted())
  })

  test('stores the part of a stream sent before its reader left', async () => {
    await using service = await startLogged()
    const leave = new AbortController()
    const hanging = { ...chat, messages: [{ role: 'user', content: '[hang after 2]' }], stream: true }
    const answer = await service.fetch('/v1/chat/completions', { json: hanging, headers: { 'x-request-id': 'mine' }, signal: leave.signal })
    await answer.body?.getReader().read()
    leave.abort()
    const [request, part] = await service.kept('mine')
    assert.equal(request?.[3], JSON.stringify(hanging))
    assert.match(String(part?.[3]), /^data: \{/)
  })

  test('delays no answer while its store is slow, and writes later', async () => {
    const awake = Promise.withResolvers<void>()
    await using service = await startLogged({ slow: awake.promise })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => service.fetch('/v1/chat/completions', { json: chat, headers: { 'x-request-id': `r${at}` } })),
    )
    assert.deepEqual([...new Set(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()][0])))], [200])
    await service.settled(20)
    awake.resolve()
    assert.equal((await service.kept('r19')).length, 2)
  })

  test('omits bodies while memory is full of waiting ones, and reports it', async () => {
    const awake = Promise.withResolvers<void>()
    await using service = await startLogged({ slow: awake.promise })
    const long = 'x'.repeat(900_000)
    for (let at = 0; at < 40; at++) {
      const answer = await service.fetch('/v1/embeddings', {
        json: { model: 'fake-chat', input: long },
        headers: { 'x-request-id': `r${at}` },
      })
      await answer.arrayBuffer()
    }
    for (let at = 0; at < 40; at++) {
      const log = service.bodies.of(service.accountId)
      assert.ok(log)
      const capture = service.bodies.open(log)
      for (let piece = 0; piece < 4; piece++) capture.add('request', long)
      capture.describe('request', { path: '/x', contentType: null, status: null })
      service.bodies.record(capture, { accountId: service.accountId, requestId: `extra${at}` })
    }
    assert.ok(service.dropped.includes('waiting'))
    awake.resolve()
    assert.equal((await service.kept('r0')).length, 2)
    assert.equal((await service.fetch('/v1/chat/completions', { json: chat, headers: { 'x-request-id': 'after' } })).status, 200)
    await service.settled(41)
    assert.equal((await service.kept('after')).length, 2, 'what waited gave its memory back')
  })
})

describe('the request log, switched off', () => {
  test('stores and reports nothing', async () => {
    await using service = await startLogged({ on: false })
    const answer = await service.fetch('/v1/chat/completions', { json: chat, headers: { 'x-request-id': 'mine' } })
    await answer.text()
    assert.equal(answer.headers.get('x-request-log'), null)
    assert.deepEqual(await service.kept('mine'), [])
    assert.equal((await service.deps.documents.sum({ accountId: `request-log:${service.accountId}`, kind: null }, options)).count, 0)
  })

  test('drops a request that was running when it was switched off', async () => {
    await using service = await startLogged()
    const hanging = { ...chat, messages: [{ role: 'user', content: '[hang after 2]' }], stream: true }
    const leave = new AbortController()
    const answer = await service.fetch('/v1/chat/completions', { json: hanging, headers: { 'x-request-id': 'mine' }, signal: leave.signal })
    await answer.body?.getReader().read()
    await switchBodyLogOff(service.deps, service.accountId, options)
    await service.bodies.refresh(options)
    leave.abort()
    assert.deepEqual(await service.kept('mine'), [])
  })

  test('is separate for each account', async () => {
    await using service = await startLogged()
    const { createAccount } = await import('../../src/operations/access/accounts.ts')
    const other = await createAccount({ ...service.store, clock: service.store.clock }, { name: 'Bob', role: 'member' }, options)
    const token = await service.makeToken(['text'], { accountId: other.id })
    const answer = await service.fetch('/v1/chat/completions', { json: chat, token, headers: { 'x-request-id': 'mine' } })
    await answer.text()
    assert.equal(answer.headers.get('x-request-log'), null)
    assert.deepEqual(await service.kept('mine'), [])
  })
})
