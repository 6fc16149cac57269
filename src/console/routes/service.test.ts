import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'

test('owners see this node with its models, and members see nothing', async () => {
  const { send, join, firstCode, clock } = await startConsoleService()
  const cookie = await join(firstCode, 'owner@example.org')
  const answer = await send('GET', '/console/api/service', { cookie })
  assert.equal(answer.statusCode, 200)
  const { version, nodes, queuedMs, limits } = answer.json()
  assert.deepEqual([version, queuedMs, limits, nodes.length], ['0.0.0', null, [], 1])
  const { id, role, draining, seenAt, loaded, inUse, waiting, tally } = nodes[0]
  assert.deepEqual([id, role, draining, seenAt], ['this', 'all', false, clock.now()])
  assert.deepEqual([loaded, inUse, waiting], [['fake-chat'], 0, 0])
  assert.equal(typeof tally, 'object')
  const { code } = (await send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })).json()
  const member = await join(code, 'bob@example.org')
  assert.equal((await send('GET', '/console/api/service', { cookie: member })).statusCode, 403)
})
