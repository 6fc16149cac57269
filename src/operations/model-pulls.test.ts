import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { ModelPulls, type PullModel } from './model-pulls.ts'

const source = 'https://models.example.org/small/model.json'

/** A pull that a test moves on by hand. */
function handPull() {
  const clock = createTestClock()
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<PullModel>>>()
  const state: { progress: (done: number, total: number) => void; aborted: boolean } = { progress: () => {}, aborted: false }
  const pullModel: PullModel = (_source, { signal, onProgress }) => {
    state.progress = onProgress
    signal.addEventListener('abort', () => {
      state.aborted = true
    })
    return promise
  }
  return { clock, pulls: new ModelPulls(pullModel, clock), state, resolve, reject }
}

test('a pull shows how far it is', () => {
  const { pulls, state, clock } = handPull()
  pulls.start(source)
  state.progress(3, 10)
  assert.deepEqual(pulls.list(), [
    { source, startedAt: clock.now(), state: 'pulling', bytesDone: 3, bytesTotal: 10, bytesPerSecond: null, reason: null },
  ])
})

test('a failed pull shows the reason until it is removed', async () => {
  const { pulls, reject } = handPull()
  pulls.start(source)
  reject(new Error('There is no room.'))
  await new Promise(setImmediate)
  assert.equal(pulls.list()[0]?.reason, 'There is no room.')
  pulls.remove(source)
  assert.deepEqual(pulls.list(), [])
})

test('removing a pull stops it, and its late end changes nothing', async () => {
  const { pulls, state, reject } = handPull()
  pulls.start(source)
  pulls.remove(source)
  assert.equal(state.aborted, true)
  pulls.start(source)
  reject(new Error('stopped'))
  await new Promise(setImmediate)
  assert.equal(pulls.list().length, 1)
})

test('only web addresses are pulled', () => {
  const { pulls } = handPull()
  for (const refused of ['/etc', 'file:///etc', 'model.json']) assert.throws(() => pulls.start(refused), { code: 'validation_error' })
})

test('a pull has the rate of its last seconds', async () => {
  const { pulls, state, clock } = handPull()
  const rate = () => pulls.list()[0]?.bytesPerSecond
  pulls.start(source)
  state.progress(0, 1000)
  assert.equal(rate(), null)
  await clock.advance(10_000)
  state.progress(100, 1000)
  assert.equal(rate(), 10)
  for (const done of [200, 300, 400, 500]) {
    await clock.advance(1000)
    state.progress(done, 1000)
  }
  assert.equal(Math.round(rate() ?? 0), 36)
  for (const done of [600, 700, 800, 900]) {
    await clock.advance(5000)
    state.progress(done, 1000)
  }
  assert.equal(rate(), 20)
  await clock.advance(20_000)
  assert.ok((rate() ?? 0) < 10, 'a pull that hangs becomes slower')
})
