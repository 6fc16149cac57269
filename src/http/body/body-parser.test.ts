import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neverAborted } from '../../core/waiting.ts'
import { BodyParser } from './body-parser.ts'

const owner = { owner: 'an account', tooDeep: 'invalid_request_error', keepBytes: false } as const
const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(20_000) }))

test('a client that disconnects before its body is parsed does not delay the next body of its account', { timeout: 300_000 }, async (t) => {
  // Hours after the start of the process.
  t.mock.method(performance, 'now', () => 10_000_000)
  await using parser = new BodyParser(body.length)
  const leaving = new AbortController()
  const left = parser.parse(body, { ...owner, signal: leaving.signal })
  leaving.abort(new Error('The client left'))
  await assert.rejects(left, /left/)
  const { value } = await parser.parse(body, { ...owner, ...neverAborted })
  assert.ok(value instanceof Object)
})

test('bodies of one account are parsed in the order of arrival', async () => {
  await using parser = new BodyParser(body.length)
  const order: number[] = []
  const parsed = [1, 2, 3].map(async (place) => {
    await parser.parse(body, { ...owner, ...neverAborted })
    order.push(place)
  })
  await Promise.all(parsed)
  assert.deepEqual(order, [1, 2, 3])
})
