import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workerLost } from '../../src/core/deferred/attempts.ts'
import type { Inference } from '../../src/core/inference.ts'
import type { Claim, Completion } from '../../src/core/ports/inference-queue.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { UsageEntry } from '../../src/core/usage.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock, type TestClock } from '../support/test-clock.ts'
import { leaseMs, output } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

/** The rounds of one run, and the calls of each round, which are all made before the first has answered. */
const [rounds, callsPerRound] = [6, 14]
/** Requests are few, so that calls meet. */
const keys = ['a', 'b', 'c', 'd', 'e']

/** The answers to all calls of one run. */
interface Answers {
  /** Ids by idempotency key. */
  readonly ids: Map<string, string>
  readonly claims: Claim[]
  /** Answers that say who ended an inference, by its id. */
  readonly ends: { readonly id: string; readonly outcome: Completion['outcome'] }[]
  /** Ids whose cancel was answered. */
  readonly cancelled: Set<string>
  /** Records that a caller saw completed. */
  readonly seen: Inference[]
}

/** Numbers below a limit, the same for each seed. */
export function createDice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function usageOf({ inference }: Claim, outcome: Completion['outcome']): UsageEntry {
  return makeUsageEntry({ model: inference.model, kind: 'image', outcome, images: 1, at: 0 })
}

/** One call of a client, a worker or a duty, chosen by chance. */
async function callAny(
  { queue, log }: Store,
  { ids, claims, ends, cancelled, seen }: Answers,
  { dice, clock }: { readonly dice: (below: number) => number; readonly clock: TestClock },
): Promise<void> {
  const key = keys[dice(keys.length)] ?? 'a'
  const id = ids.get(key)
  const claim = claims[dice(claims.length)]
  const note = (found: Inference | null | undefined) => void (found?.status === 'completed' && seen.push(found))
  const end = (outcome: Completion['outcome']) => void (claim !== undefined && ends.push({ id: claim.id, outcome }))
  switch (dice(9)) {
    case 0:
    case 1: {
      const submission = makeSubmission({ idempotency: { key, fingerprint: key }, webhookUrl: 'https://example.org' })
      const { inference } = await queue.enqueue(submission, options)
      assert.equal(ids.get(key) ?? inference.id, inference.id, 'one key, two requests')
      ids.set(key, inference.id)
      return note(inference)
    }
    case 2:
    case 3: {
      const wanted = { workerId: `w${dice(3)}`, rooms: [{ model: 'fake-image', room: 3 }], limit: 1 + dice(2), leaseMs }
      const over = new Set(cancelled)
      const claimed = await queue.claim(wanted, options)
      assert.ok(!claimed.some((each) => over.has(each.id)), 'a request started again after its cancel was answered')
      return void claims.push(...claimed)
    }
    case 4: {
      const found = id === undefined ? null : await queue.cancel({ id, accountId: 'a' }, options)
      if (found !== null) cancelled.add(found.id)
      return note(found)
    }
    case 5: {
      if (claim === undefined) return
      const completion: Completion = { outcome: 'succeeded', output: { ...output, key: `${claim.id}.${claim.attempt}` } }
      if ((await queue.complete(claim, { completion, usage: usageOf(claim, 'succeeded') }, options)) === 'completed') end('succeeded')
      return
    }
    case 6: {
      if (claim === undefined) return
      if ((await queue.release(claim, { delayMs: 0, usage: usageOf(claim, 'cancelled') }, options)) === 'cancelled') end('cancelled')
      return
    }
    case 7: {
      if (claim === undefined) return
      const answer = await queue.retry(claim, { failure: { ...workerLost, deadly: false }, usage: usageOf(claim, 'failed') }, options)
      if (answer === 'failed' || answer === 'cancelled') end(answer)
      return
    }
    default:
      if (dice(3) === 0) await clock.advance(leaseMs + 1)
      await queue.sweep({ maxQueueMs: 24 * 60 * 60 * 1000, spared: claims.slice(-1) }, options)
      return note(id === undefined ? null : await log.find(id, 'a', options))
  }
}

/** Makes calls of all kinds at once, then judges what was answered by what is stored; a failing seed fails each time. */
export function testQueueRaces(name: string, open: StoreFactory, { seeds }: { readonly seeds: number }): void {
  for (let seed = 1; seed <= seeds; seed++)
    test(`${name} queue: concurrent calls end each request once, as returned (seed ${seed})`, async () => {
      const clock = createTestClock()
      await using store = await open({ clock, limits: roomy })
      const dice = createDice(seed)
      const answers: Answers = { ids: new Map(), claims: [], ends: [], cancelled: new Set(), seen: [] }
      for (let round = 0; round < rounds; round++)
        await Promise.all(Array.from({ length: callsPerRound }, () => callAny(store, answers, { dice, clock })))
      await endAll(store, answers)
      await judge(store, answers)
    })
}

/** Claims and completes the rest, as an undisturbed worker does. */
async function endAll({ queue }: Store, { claims, ends }: Answers): Promise<void> {
  const running = claims.filter((claim, at) => claims.findLastIndex(({ id }) => id === claim.id) === at)
  for (;;) {
    const wanted = { workerId: 'last', rooms: [{ model: 'fake-image', room: 9 }], limit: 9, leaseMs }
    const claimed = await queue.claim(wanted, options)
    claims.push(...claimed)
    for (const claim of [...running.splice(0), ...claimed]) {
      const completion: Completion = { outcome: 'succeeded', output: { ...output, key: `${claim.id}.${claim.attempt}` } }
      const answer = await queue.complete(claim, { completion, usage: usageOf(claim, 'succeeded') }, options)
      if (answer === 'completed') ends.push({ id: claim.id, outcome: 'succeeded' })
    }
    if (claimed.length === 0) return
  }
}

async function judge({ log, usage, webhooks }: Store, { ids, claims, ends, seen }: Answers): Promise<void> {
  const attempts = claims.map(({ id, attempt }) => `${id} ${attempt}`)
  assert.equal(new Set(attempts).size, attempts.length, 'an attempt was given to two workers')
  const successes = ends.filter(({ outcome }) => outcome === 'succeeded').map(({ id }) => id)
  assert.equal(new Set(successes).size, successes.length, 'a result was stored twice')
  for (const id of ids.values()) {
    const found = await log.find(id, 'a', options)
    assert.equal(found?.status, 'completed', 'an accepted request did not end')
    // A repeated call gets the answer of the first.
    for (const end of ends.filter((each) => each.id === id))
      assert.equal(found.outcome, end.outcome, 'a request ended otherwise than its worker was answered')
    const last = claims.findLast((claim) => claim.id === id)
    if (found.outcome === 'succeeded') assert.equal(found.output?.key, `${id}.${last?.attempt}`)
    for (const earlier of seen.filter((each) => each.id === id))
      assert.deepEqual([earlier.outcome, earlier.output, earlier.error], [found.outcome, found.output, found.error])
  }
  const today = new Date(0).toISOString().slice(0, 10)
  const [sum] = await usage.summarize({ accountId: 'a', from: today, to: today }, options)
  const booked = sum?.requests ?? 0
  // A sweep may have ended the others first, which books nothing.
  assert.ok(successes.length <= booked && booked <= new Set(ends.map(({ id }) => id)).size, 'a request was booked twice or not at all')
  const due = await webhooks.due({ limit: 100, perAccount: 100 }, options)
  assert.deepEqual(due.map(({ inferenceId }) => inferenceId).toSorted(), [...ids.values()].toSorted(), 'one webhook for each request')
}
