import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Inference, makePendingInference } from '../../../../core/inference.ts'
import { offsetText, progressText, timelineEvents, waitedEvents } from './timeline-events.ts'

const request = { id: 'r', accountId: 'a', kind: 'image', model: 'm', priority: 'normal' } as const
const pending: Inference = { ...makePendingInference(request, 1000), queuePosition: 3 }
const titles = (inference: Inference, now = 10_000) => timelineEvents(inference, now).map(({ title, tone }) => `${title} ${tone}`)

test('a queued request shows its position and the steps ahead', () => {
  assert.deepEqual(titles(pending), ['Queued reached', 'Started ahead', 'Stored ahead'])
  assert.equal(timelineEvents(pending, 10_000)[0]?.note, 'Number 3 in the queue.')
})

test('a second attempt is shown separately', () => {
  const running: Inference = { ...pending, status: 'running', attempt: 2, startedAt: 2000, progress: { step: 4, total: 20 } }
  assert.deepEqual(titles(running), ['Queued reached', 'Started, attempt 2 reached', 'Stored ahead'])
  assert.equal(timelineEvents(running, 10_000)[1]?.note, 'Waited 1.00\u00a0s. Step 4 of 20.')
})

test('a success shows when its output expires, and that it expired', () => {
  const done: Inference = {
    ...pending,
    status: 'completed',
    outcome: 'succeeded',
    attempt: 1,
    startedAt: 2000,
    completedAt: 3000,
    expiresAt: 9000,
  }
  assert.equal(titles(done, 5000).at(-1), 'Output will be deleted ahead')
  assert.equal(titles(done, 9000).at(-1), 'Output deleted reached')
})

test('a synchronous request shows when it was sent and answered, to the millisecond', () => {
  const result = { outcome: 'succeeded', promptTokens: 1, completionTokens: 1, images: 0, durationMs: 1234, firstTokenMs: 200 } as const
  assert.deepEqual(
    waitedEvents(1000, result).map(({ title, at, tone }) => [title, at, tone]),
    [
      ['Received', 1000, 'reached'],
      ['Answer began', 1200, 'reached'],
      ['Answered', 2234, 'reached'],
    ],
  )
  assert.equal(waitedEvents(1000, { ...result, firstTokenMs: null, outcome: 'cancelled' })[1]?.tone, 'failed')
})

test('a request cancelled while queued never started', () => {
  const cancelled: Inference = { ...pending, status: 'completed', outcome: 'cancelled', completedAt: 3000, expiresAt: 9000 }
  assert.deepEqual(titles(cancelled), ['Queued reached', 'Cancelled failed'])
})

test('progress is shown in steps, with thousands separators', () => {
  assert.equal(progressText({ step: 9, total: 1200 }), 'Step 9 of 1,200')
  const running: Inference = { ...pending, status: 'running', attempt: 1, startedAt: 2000, progress: { step: 1000, total: 3200 } }
  assert.equal(timelineEvents(running, 10_000)[1]?.note, 'Waited 1.00\u00a0s. Step 1,000 of 3,200.')
})

test('the time of an event after the first is shown in seconds or minutes once it is that long', () => {
  const after = (ms: number, tone: 'reached' | 'ahead' = 'reached') => offsetText({ title: '', note: '', at: 1000 + ms, tone }, 1000)
  assert.deepEqual(
    [0, 840, 12_340, 95_032].map((ms) => after(ms)),
    ['', '+840\u00a0ms', '+12.3\u00a0s', '+2\u00a0min'],
  )
  assert.deepEqual([after(5000, 'ahead'), offsetText({ title: '', note: '', at: null, tone: 'ahead' }, 1000)], ['', ''])
})
