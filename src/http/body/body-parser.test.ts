import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { neverAborted } from '../../core/waiting.ts'
import { BodyParser } from './body-parser.ts'

const owner = { owner: 'an account', tooDeep: 'invalid_request_error', keepBytes: false, startsText: false } as const
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

test('four text requests start in one turn of the event loop, and every account waits for one of another', async () => {
  await using parser = new BodyParser(body.length)
  const seen: string[] = []
  const countTurns = async () => {
    for (const turn of ['turn', 'another']) {
      await setImmediate()
      seen.push(turn)
    }
  }
  const start = async (name: string) => {
    await parser.parse(Buffer.from('{}'), { ...owner, owner: name, startsText: true, ...neverAborted })
    seen.push(name)
  }
  await Promise.all([countTurns(), ...[...'aaaaaaaab'].map(start)])
  assert.equal(seen.indexOf('turn'), 4)
  assert.ok(seen.indexOf('b') < 4, seen.join())
})
