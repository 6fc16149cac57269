import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { makeSubmission } from '../../../test/support/submission.ts'
import type { RequestPage } from '../contract/requests.ts'

const options = { signal: new AbortController().signal }

async function openRequests() {
  const service = await startConsoleService()
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const submit = async (accountId = service.ownerId) => {
    const { inference } = await service.store.queue.enqueue(makeSubmission({ accountId }), options)
    await service.clock.advance(1)
    return inference.id
  }
  const get = (query: string, by: string | undefined = cookie) =>
    service.send('GET', `/console/api/requests${query}`, by === undefined ? {} : { cookie: by })
  const list = async (query = ''): Promise<RequestPage> => (await get(query)).json()
  return { ...service, cookie, submit, get, list }
}

const idsOf = ({ inferences }: RequestPage) => inferences.map(({ id }) => id)

describe('one’s requests', () => {
  test('are listed newest first, in pages that meet without a gap, and none of anybody else', async () => {
    const { submit, list } = await openRequests()
    const [a, b, c] = [await submit(), await submit(), await submit()]
    await submit('somebody-else')
    const first = await list('?limit=2')
    assert.deepEqual(idsOf(first), [c, b])
    const rest = await list(`?limit=2&after=${first.next}`)
    assert.deepEqual(idsOf(rest), [a])
    assert.equal(rest.next, null)
  })

  test('are told apart by where they stand', async () => {
    const { submit, list, store, ownerId } = await openRequests()
    const [ended, waiting] = [await submit(), await submit()]
    await store.queue.cancel({ id: ended, accountId: ownerId }, options)
    assert.deepEqual(idsOf(await list('?status=completed')), [ended])
    assert.deepEqual(idsOf(await list('?status=pending')), [waiting])
    assert.deepEqual(idsOf(await list('?status=running')), [])
  })

  test('are found one by one, with their place in the queue', async () => {
    const { submit, get } = await openRequests()
    await submit()
    const { inference } = (await get(`/${await submit()}`)).json()
    assert.deepEqual([inference.status, inference.queuePosition], ['pending', 2])
    assert.equal((await get(`/${await submit('somebody-else')}`)).statusCode, 404)
    assert.equal((await get('/nothing')).statusCode, 404)
  })

  test('are asked for with a query that is checked', async () => {
    const { get } = await openRequests()
    for (const query of ['?status=lost', '?limit=many', '?limit=-1', '?colour=red', `?after=${'x'.repeat(101)}`])
      assert.equal((await get(query)).statusCode, 422, query)
    for (const query of ['?limit=0', '?limit=999']) assert.equal((await get(query)).statusCode, 200, query)
  })
})
