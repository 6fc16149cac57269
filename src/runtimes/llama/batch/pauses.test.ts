import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from './pauses.ts'

/** Whether the event loop gets to its events before the promise is fulfilled. */
async function letsEventsIn(pause: Promise<void>): Promise<boolean> {
  let came = false
  const event = setImmediate(() => {
    came = true
  })
  await pause
  clearImmediate(event)
  return came
}

test('events are handled between quick batches every few milliseconds', async () => {
  let now = 0
  const pauses = new Pauses(() => now)
  const found: boolean[] = []
  for (const ms of [0, 1, 3.9, 4, 4.5, 9]) {
    now = ms
    found.push(await letsEventsIn(pauses.ifDue()))
  }
  assert.deepEqual(found, [true, false, false, true, false, true])
})

test('after the pause for first tokens, the next one is due a few milliseconds later', async () => {
  let now = 0
  const pauses = new Pauses(() => now)
  await pauses.afterFirstTokens()
  now = 3.9
  assert.ok(!(await letsEventsIn(pauses.ifDue())))
  now = 4
  assert.ok(await letsEventsIn(pauses.ifDue()))
})

test('first tokens of many short answers make no pause of their own', async () => {
  let now = 0
  const pauses = new Pauses(() => now)
  await pauses.afterFirstTokens()
  now = 19
  assert.ok(!(await letsEventsIn(pauses.afterFirstTokens())))
})
