import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { explainTakenPort } from './node-address.ts'

test('a port that is taken is told by the setting that names it', async () => {
  await using first = createServer().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const bound = first.address()
  assert.ok(typeof bound === 'object' && bound !== null)
  const [failure] = await once(createServer().listen(bound.port, '127.0.0.1'), 'error')
  assert.match(
    String(explainTakenPort(failure, `http://10.0.0.5:${bound.port}`)),
    new RegExp(`Port ${bound.port} is in use; .* in --node-url\\.`),
  )
  assert.equal(explainTakenPort(failure, null), failure)
  const other = new Error('closed')
  assert.equal(explainTakenPort(other, 'http://10.0.0.5:1'), other)
})
