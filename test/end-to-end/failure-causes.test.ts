import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carryError, uncarryError } from '../../src/cluster/lease-wire.ts'
import type { RequestPage, RequestShown } from '../../src/console/contract/requests.ts'
import { ServiceError } from '../../src/core/error.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import type { TextPart } from '../../src/core/text-generation.ts'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { startConsoleService } from '../support/console-service.ts'
import { makeSubmission } from '../support/submission.ts'

const options = { signal: new AbortController().signal }
const secret = 'connect ECONNREFUSED 10.0.0.7:8000'
const sentence = 'The model failed on this request.'
const failure = () =>
  new ServiceError('inference_failed', sentence, { cause: new Error('The upstream broke.', { cause: new Error(secret) }) })
const brokenMessage = `The upstream broke. ← ${secret}`

/** A service whose model fails, and everybody who may ask it. */
async function openService(parts: readonly TextPart[] = []) {
  const service = await startConsoleService({
    text: {
      async *generate() {
        yield* parts
        throw failure()
      },
      embed: () => Promise.reject(failure()),
    },
  })
  const { send, join, firstCode, store, clock, ownerId } = service
  const owner = await join(firstCode, 'ada@example.org')
  const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await join(code, 'bob@example.org')
  const { text } = await createAccessToken(
    { ...store, clock },
    { accountId: ownerId, name: 't', scopes: ['text'], expiresAt: null },
    options,
  )
  const ask = async (caller: { readonly cookie?: string; readonly headers?: Record<string, string> }, stream: boolean) =>
    send('POST', '/v1/chat/completions', { ...caller, body: { model: 'fake-chat', messages: [{ role: 'user', content: 'x' }], stream } })
  return { ...service, ask, member, owner, bearer: { authorization: `Bearer ${text}` } }
}

test('an owner at the console sees why a chat failed, before and during a stream', async () => {
  for (const [parts, stream] of [
    [[], false],
    [[], true],
    [[{ type: 'text', choice: 0, text: 'Once' }], true],
  ] as const) {
    const { ask, owner } = await openService(parts)
    const answer = await ask({ cookie: owner }, stream)
    assert.ok(answer.body.includes(sentence))
    assert.ok(answer.body.includes(JSON.stringify(brokenMessage).slice(1, 20)) && answer.body.includes(secret), answer.body)
    assert.ok(answer.headers['x-request-id'])
  }
})

test('members and tokens of owners see only the message', async () => {
  for (const [parts, stream] of [
    [[], false],
    [[], true],
    [[{ type: 'text', choice: 0, text: 'Once' }], true],
  ] as const) {
    const { ask, member, bearer } = await openService(parts)
    for (const caller of [{ cookie: member }, { headers: bearer }]) {
      const { body } = await ask(caller, stream)
      assert.ok(body.includes(sentence))
      assert.doesNotMatch(body, /ECONNREFUSED|cause|upstream/)
    }
  }
})

test('only owners see the stored cause of a failed asynchronous request, at every address', async () => {
  const { store, send, owner, member, ownerId, bearer } = await openService()
  const accounts = await store.accounts.list(options)
  const memberId = accounts.find(({ role }) => role === 'member')?.id ?? ''
  for (const accountId of [ownerId, memberId]) {
    const { inference } = await store.queue.enqueue(makeSubmission({ accountId }), options)
    const { id, kind, model, createdAt: at } = inference
    await store.requests.append([{ id, accountId, tokenId: null, kind, model, at, requested: null, result: null }], options)
    const [claim] = await store.queue.claim({ workerId: 'w', rooms: [{ model, room: 1 }], limit: 1, leaseMs: 1000 }, options)
    assert.ok(claim)
    await store.queue.complete(
      claim,
      {
        completion: { outcome: 'failed', error: { code: 'inference_failed', message: sentence, param: null, cause: brokenMessage } },
        usage: null,
      },
      options,
    )
    const paths = [`/console/api/requests/${id}`, '/console/api/requests', `/v1/requests/${id}`, `/v1/responses/${id}`]
    const own = accountId === ownerId ? owner : member
    for (const path of paths) {
      const { body } = await send('GET', path, { cookie: own })
      assert.ok(body.includes(sentence), `${path}: ${body}`)
      assert.equal(body.includes(secret), own === owner && path.startsWith('/console/'), path)
    }
    for (const path of paths.slice(2)) assert.doesNotMatch((await send('GET', path, { headers: bearer })).body, /ECONNREFUSED/)
    assert.ok((await send('GET', '/console/api/requests?of=everyone', { cookie: owner })).body.includes(secret))
  }
})

test('a failed synchronous request stores the message for its account and the cause for owners', async () => {
  for (const [parts, path, body] of [
    [[], '/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }],
    [[{ type: 'text', choice: 0, text: 'Once' }], '/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }], stream: true }],
    [[], '/v1/messages', { messages: [{ role: 'user', content: 'x' }], max_tokens: 9, stream: true }],
    [[{ type: 'text', choice: 0, text: 'Once' }], '/v1/responses', { input: 'x', stream: true }],
    [[], '/api/chat', { messages: [{ role: 'user', content: 'x' }] }],
    [[], '/v1/embeddings', { input: 'x' }],
  ] as const) {
    const { send, owner, member } = await openService(parts)
    await send('POST', path, { cookie: member, body: { model: 'fake-chat', ...body } })
    const lists = [
      { cookie: member, query: '', seesCause: false },
      { cookie: owner, query: '?of=everyone', seesCause: true },
    ]
    for (const { cookie, query, seesCause } of lists) {
      const { requests }: RequestPage = (await send('GET', `/console/api/requests${query}`, { cookie })).json()
      const [listed] = requests
      const shown: RequestShown = (await send('GET', `/console/api/requests/${listed?.key}`, { cookie })).json()
      const error = { code: 'inference_failed', message: sentence, param: null, ...(seesCause && { cause: brokenMessage }) }
      for (const { result } of [shown, ...requests.slice(0, 1)]) assert.deepEqual([result?.outcome, result?.error], ['failed', error], path)
    }
  }
})

test('a request rejected by a limit stores the reason', async () => {
  const { send, owner, store, ownerId } = await openService()
  await store.accounts.change(ownerId, { by: null, limits: { ...noLimits, tokensPerDay: 1 } }, options)
  await send('POST', '/v1/chat/completions', { cookie: owner, body: { model: 'fake-chat', messages: [{ role: 'user', content: 'x' }] } })
  const { requests }: RequestPage = (await send('GET', '/console/api/requests', { cookie: owner })).json()
  assert.deepEqual([requests[0]?.result?.outcome, requests[0]?.result?.error?.code], ['refused', 'quota_exceeded'])
})

test('a cause is passed between nodes', () => {
  const carried = uncarryError(JSON.parse(JSON.stringify(carryError(failure()))))
  assert.deepEqual([carried.message, carried.cause], [sentence, brokenMessage])
})
