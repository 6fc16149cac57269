import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { PictureInspector } from './picture-inspector.ts'
import { PictureTurns } from './picture-process.ts'

const options = { signal: new AbortController().signal }
const entry = new URL('../../../test/support/engines/strange-picture-engine.ts', import.meta.url)
const [whole, crashing, endless, refused] = [0, 1, 2, 3].map((kind) => Uint8Array.of(kind)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const undecodable = { code: 'validation_error', message: /cannot be decoded/ }

function createInspector() {
  const clock = createTestClock()
  return { clock, inspector: new PictureInspector({ entry, confinement: null, clock, log: () => {} }) }
}

test('images are inspected in one other process while none is waiting', async () => {
  const { inspector } = createInspector()
  using _ = inspector
  const first = await inspector.inspect(whole, options)
  assert.notEqual(first.width, process.pid)
  assert.deepEqual(await inspector.inspect(whole, options), first)
})

test('an image that crashes its process fails alone', async () => {
  const { inspector } = createInspector()
  using _ = inspector
  const outcomes = await Promise.allSettled([whole, crashing, whole, crashing, whole].map((bytes) => inspector.inspect(bytes, options)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  await assert.rejects(inspector.inspect(crashing, options), undecodable)
})

test('an image that takes too long fails, and its process is killed', async () => {
  const { inspector, clock } = createInspector()
  using _ = inspector
  const { width: pid } = await inspector.inspect(whole, options)
  const outcome = assert.rejects(inspector.inspect(endless, options), undecodable)
  await clock.advance(30_000)
  await outcome
  assert.notEqual((await inspector.inspect(whole, options)).width, pid)
})

test('an error of an image keeps the message of the process', async () => {
  const { inspector } = createInspector()
  using _ = inspector
  await assert.rejects(inspector.inspect(refused, options), { code: 'validation_error', message: 'it is no picture.' })
})

test('too many images of one account are rejected, and another account waits for at most two of them', async () => {
  const turns = new PictureTurns(2)
  const order: string[] = []
  const enter = async (account: string) => {
    await turns.enter(account)
    order.push(account)
  }
  const flood = Array.from({ length: 22 }, () => enter('enemy'))
  const all = Promise.allSettled([...flood, enter('honest')])
  for (let left = 19; left > 0; left--) turns.leave()
  const refusals = (await all).filter((outcome) => outcome.status === 'rejected')
  assert.deepEqual(
    refusals.map(({ reason }) => reason.code),
    Array(4).fill('server_is_overloaded'),
  )
  assert.equal(order.indexOf('honest'), 3)
})

test('images wait for the turn of their account', async () => {
  const { inspector } = createInspector()
  using _ = inspector
  const flood = Promise.allSettled(Array.from({ length: 22 }, () => inspector.inspect(whole, { ...options, account: 'enemy' })))
  await inspector.inspect(whole, { ...options, account: 'honest' })
  assert.equal((await flood).filter(({ status }) => status === 'rejected').length, 4)
})

test('a minute without images ends the processes', async () => {
  const { inspector, clock } = createInspector()
  using _ = inspector
  const { width: pid } = await inspector.inspect(whole, options)
  await clock.advance(60_000)
  assert.notEqual((await inspector.inspect(whole, options)).width, pid)
})
