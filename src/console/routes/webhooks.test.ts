import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { makeSubmission } from '../../../test/support/submission.ts'

const options = { signal: new AbortController().signal }

test('a user sees the secret and the deliveries of their own account, and rotates the secret', async () => {
  const { send, join, firstCode, store, ownerId } = await startConsoleService()
  const cookie = await join(firstCode, 'ada@example.org')
  const look = async () => (await send('GET', '/console/api/webhooks', { cookie })).json()
  const { secrets, deliveries } = await look()
  assert.match(secrets.join(), /^whsec_[\w+/]+=*$/)
  assert.deepEqual(deliveries, [])
  for (const accountId of [ownerId, 'somebody-else']) {
    const webhookUrl = `https://example.com/${accountId}`
    const { inference } = await store.queue.enqueue(makeSubmission({ accountId, webhookUrl }), options)
    await store.queue.cancel({ id: inference.id, accountId }, options)
  }
  assert.equal((await send('POST', '/console/api/webhooks/rotate', { cookie })).statusCode, 204)
  const after = await look()
  assert.deepEqual(after.secrets.slice(1), secrets)
  const [delivery, ...others] = after.deliveries
  assert.deepEqual([delivery.url, delivery.state, delivery.attempts], [`https://example.com/${ownerId}`, 'waiting', 0])
  assert.deepEqual(others, [])
})

test('webhooks require a signed-in user, and another site cannot rotate the secret', async () => {
  const { send, join, firstCode } = await startConsoleService()
  assert.equal((await send('GET', '/console/api/webhooks')).statusCode, 401)
  const cookie = await join(firstCode, 'ada@example.org')
  const headers = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await send('POST', '/console/api/webhooks/rotate', { cookie, headers })).statusCode, 403)
})
