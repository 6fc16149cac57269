import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../../test/support/console-service.ts'
import { makeSubmission } from '../../../../test/support/submission.ts'
import type { RequestPage } from '../../contract/requests.ts'

const options = { signal: new AbortController().signal }

async function openRequests() {
  const service = await startConsoleService()
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const submit = async (accountId = service.ownerId) => {
    const { inference } = await service.store.queue.enqueue(makeSubmission({ accountId }), options)
    const { id, kind, model, createdAt: at } = inference
    const requested = { excerpt: `what ${accountId} wants`, call: JSON.stringify({ path: '/generate/sdxl', body: { prompt: 'a tiger' } }) }
    await service.store.requests.append([{ id, accountId, tokenId: null, kind, model, at, requested, result: null }], options)
    await service.clock.advance(1)
    return id
  }
  const get = (query: string, by: string | undefined = cookie) =>
    service.send('GET', `/console/api/requests${query}`, by === undefined ? {} : { cookie: by })
  const list = async (query = ''): Promise<RequestPage> => (await get(query)).json()
  return { ...service, cookie, submit, get, list }
}

const idsOf = ({ requests }: RequestPage) => requests.map(({ id }) => id)

describe('the request list', () => {
  test("contains only the user's own requests, newest first, in pages without gaps", async () => {
    const { submit, list } = await openRequests()
    const [a, b, c] = [await submit(), await submit(), await submit()]
    await submit('somebody-else')
    const first = await list('?limit=2')
    assert.deepEqual(idsOf(first), [c, b])
    const rest = await list(`?limit=2&after=${first.next}`)
    assert.deepEqual(idsOf(rest), [a])
    assert.equal(rest.next, null)
  })

  test('is filtered by state', async () => {
    const { submit, list, store, ownerId } = await openRequests()
    const [ended, waiting] = [await submit(), await submit()]
    await store.queue.cancel({ id: ended, accountId: ownerId }, options)
    assert.deepEqual(idsOf(await list('?status=completed')), [ended])
    assert.deepEqual(idsOf(await list('?status=pending')), [waiting])
    assert.deepEqual(idsOf(await list('?status=running')), [])
  })

  test('returns one request with its position in the queue', async () => {
    const { submit, get } = await openRequests()
    await submit()
    const { inference, call } = (await get(`/${await submit()}`)).json()
    assert.deepEqual([inference.status, inference.queuePosition], ['pending', 2])
    assert.deepEqual(call, { path: '/generate/sdxl', body: { prompt: 'a tiger' } })
    assert.equal((await get('/nothing')).statusCode, 404)
  })

  test("is searched by prompt, and never finds another user's requests", async () => {
    const { submit, list, ownerId } = await openRequests()
    const mine = await submit()
    await submit('somebody-else')
    assert.deepEqual(idsOf(await list(`?search=${ownerId.toUpperCase()}`)), [mine])
    assert.deepEqual(idsOf(await list('?search=somebody&of=everyone')), [])
    assert.deepEqual(idsOf(await list('?search=100%25')), [])
  })

  test("contains everyone's requests for owners, without the prompts, inputs and outputs of others", async () => {
    const { submit, list, get, send, cookie, join, store } = await openRequests()
    const theirs = await submit('somebody-else')
    const result = {
      outcome: 'succeeded',
      promptTokens: 3,
      completionTokens: 4,
      images: 0,
      durationMs: 50,
      firstTokenMs: 9,
      error: null,
    } as const
    const waited = {
      id: 'req-1',
      accountId: 'somebody-else',
      tokenId: 'deleted',
      kind: 'chat',
      model: 'm',
      at: 1,
      requested: null,
      result,
    } as const
    await store.requests.append([waited], options)
    const { requests } = await list('?of=everyone')
    assert.deepEqual(
      requests.map(({ id, excerpt, account, token, inference }) => [id, excerpt, account, token, inference?.status ?? null]),
      [
        ['req-1', null, 'somebody-else', 'deleted', null],
        [theirs, null, 'somebody-else', null, 'pending'],
      ],
    )
    const shown = (await get(`/${theirs}`)).json()
    assert.deepEqual([shown.call, shown.inference.id, shown.deliveries], [null, theirs, []])
    assert.deepEqual(idsOf(await list('?of=everyone&way=synchronous')), ['req-1'])
    assert.deepEqual(idsOf(await list('?of=everyone&kind=image')), [theirs])
    const { code } = (await send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })).json()
    const member = await join(code, 'bob@example.org')
    assert.equal((await get('?of=everyone', member)).statusCode, 403)
    assert.equal((await get(`/${theirs}`, member)).statusCode, 404)
    assert.deepEqual(idsOf((await get('', member)).json()), [])
  })

  test('validates its query', async () => {
    const { get } = await openRequests()
    for (const query of ['?status=lost', '?limit=many', '?limit=-1', '?colour=red', `?after=${'x'.repeat(101)}`])
      assert.equal((await get(query)).statusCode, 422, query)
    for (const query of ['?limit=0', '?limit=999']) assert.equal((await get(query)).statusCode, 200, query)
  })
})
