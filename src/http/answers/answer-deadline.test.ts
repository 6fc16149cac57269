import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { AnswerDeadline } from './answer-deadline.ts'

for (const [what, end] of [
  ['resolves', (work: PromiseWithResolvers<string>) => work.resolve('done')],
  ['fails', (work: PromiseWithResolvers<string>) => work.reject(new Error('done'))],
] as const)
  test(`an answer that has begun ${what} with its work, also after the deadline`, async () => {
    const clock = createTestClock()
    const work = Promise.withResolvers<string>()
    const reply = { sent: true, arrivedAt: clock.steadyNow() } as unknown as Parameters<AnswerDeadline['keep']>[0]
    const kept = Promise.resolve(new AnswerDeadline(clock).keep(reply, () => work.promise)).catch(({ message }: Error) => message)
    await clock.advance(60_000)
    end(work)
    // A promise that never settles would keep the test waiting.
    assert.equal(await Promise.race([kept, clock.advance(0).then(() => 'never')]), 'done')
  })

test('an answer has its six seconds, also while the time of the system is set', async () => {
  const clock = createTestClock()
  const reply = { sent: false, elapsedTime: 0 } as unknown as Parameters<AnswerDeadline['keep']>[0]
  let failed = false
  Promise.resolve(new AnswerDeadline(clock).keep(reply, () => new Promise<string>(() => {}))).catch(() => {
    failed = true
  })
  const states: boolean[] = []
  for (const hours of [1, -1, 1]) {
    clock.jump(clock.now() + hours * 3_600_000)
    await clock.advance(2000)
    states.push(failed)
  }
  assert.deepEqual(states, [false, false, true])
})
