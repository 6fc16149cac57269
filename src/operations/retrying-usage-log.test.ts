import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeUsageEntry } from '../../test/support/memory/usage-entry.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { ServiceError } from '../core/error.ts'
import type { UsageLog } from '../core/ports/usage-log.ts'
import { RetryingUsageLog } from './retrying-usage-log.ts'

const options = { signal: new AbortController().signal }
const entry = makeUsageEntry({ cost: 7 })
const away = new ServiceError('server_is_overloaded', 'The database did not respond in time; try again later.')

function setUp() {
  const clock = createTestClock()
  const state = { fault: null as Error | null, faults: 0 }
  const calls: (Parameters<UsageLog['append']>[1] & { readonly model: string })[] = []
  const append: UsageLog['append'] = async ({ model }, called) => {
    calls.push({ ...called, model })
    if (state.fault !== null) throw state.fault
  }
  const log = new RetryingUsageLog({ append }, { clock, onFault: () => (state.faults += 1) })
  return { clock, state, calls, log }
}

test('usage that cannot be booked while the database is away is booked in order when it is back, and reservations are released', async () => {
  const { clock, state, calls, log } = setUp()
  state.fault = away
  const both = Promise.all([log.append(entry, { ...options, id: 'r' }), log.append({ ...entry, model: 'n' }, options)])
  for (let second = 0; second < 3; second++) {
    await clock.waiting(1)
    await clock.advance(1000)
  }
  await clock.waiting(1)
  state.fault = null
  calls.length = 0
  await clock.advance(1000)
  await both
  assert.deepEqual(
    calls.map(({ model, id }) => ({ model, id })),
    [
      { model: 'm', id: 'r' },
      { model: 'n', id: undefined },
    ],
  )
  assert.equal(state.faults, 5)
})

test('an entry that can never be booked is reported at once and delays no other', async () => {
  const { clock, state, log } = setUp()
  state.fault = new Error('no such account')
  await assert.rejects(log.append(entry, options), /no such account/)
  state.fault = away
  const waits = log.append(entry, options)
  await clock.waiting(1)
  state.fault = new Error('no such account')
  await Promise.all([assert.rejects(waits, /no such account/), clock.advance(1000)])
})

test('no entry is dropped however many wait, and all count as pending until they are recorded', async () => {
  const { clock, state, log } = setUp()
  state.fault = away
  const all = Promise.all(Array.from({ length: 10_050 }, () => log.append(entry, options)))
  await clock.waiting(1)
  assert.equal(log.owed, 10_050)
  state.fault = null
  await clock.advance(1000)
  await all
  assert.equal(log.owed, 0)
})

test('an entry that fails just when the last waiting one is recorded is tried again too', async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    const clock = createTestClock()
    const late = Promise.withResolvers<void>()
    const failLate = async () => {
      for (let tick = 0; tick < ticks; tick++) await null
      late.reject(away)
    }
    let calls = 0
    const append: UsageLog['append'] = async ({ model }) => {
      // Two first attempts and the first repetition.
      if (++calls > 2) return void failLate()
      if (model === 'late') return late.promise
      throw away
    }
    const log = new RetryingUsageLog({ append }, { clock, onFault: () => {} })
    const both = [log.append({ ...entry, model: 'late' }, options), log.append(entry, options)]
    await clock.waiting(1)
    await clock.advance(2000)
    assert.equal(log.owed, 0, `${ticks} ticks`)
    await Promise.all(both)
  }
})

test('a stop tries once more at once, and reports what it could not book', async () => {
  const { clock, state, calls, log } = setUp()
  state.fault = away
  const lost = assert.rejects(log.append(entry, options), away)
  await clock.waiting(1)
  await log[Symbol.asyncDispose]()
  await lost
  assert.equal(calls.length, 2)
})
