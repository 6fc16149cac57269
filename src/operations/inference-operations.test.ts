import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimNext, succeed } from '../../test/conformance/claiming.ts'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { createMemoryOutputs } from '../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { unobservedWork } from '../../test/support/memory/unobserved.ts'
import { readChunks } from '../../test/support/stored-output.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { ServiceError } from '../core/error.ts'
import { outputRetentionMs } from '../core/inference.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import { drawStored } from './deferred/draw-stored.ts'
import { InferenceEvents } from './deferred/inference-events.ts'
import { cancelInference, findInference, listInferences, waitForInference, watchInference } from './deferred/inferences.ts'
import { openOutput, readWritten } from './deferred/outputs.ts'
import { submitInference } from './deferred/submit-inference.ts'

const options = { signal: new AbortController().signal }

function createParts() {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 100 } })
  return { ...unobservedWork, ...store, clock, outputs: createMemoryOutputs({ clock }), events: new InferenceEvents(clock) }
}

async function submitAndClaim(parts: ReturnType<typeof createParts>) {
  const { inference } = await submitInference(parts, makeSubmission(), options)
  const claim = await claimNext(parts.queue)
  return { id: inference.id, claim }
}

async function finish(parts: ReturnType<typeof createParts>, claim: Awaited<ReturnType<typeof submitAndClaim>>['claim']) {
  const key = { inferenceId: claim.inference.id, attempt: claim.attempt }
  const output = await parts.outputs.put(key, { contentType: 'image/png', chunks: [Uint8Array.of(1, 2)] }, options)
  assert.equal(await succeed(parts.queue, claim, output), 'completed')
  parts.events.publish(claim.inference.id, { type: 'status', status: 'completed' })
}

test('foreign, unknown and malformed ids get the same error from every operation', async () => {
  const parts = createParts()
  const { inference } = await submitInference(parts, makeSubmission(), options)
  const targets = [inference.id, crypto.randomUUID(), '../../etc/passwd', ''].map((id) => ({ id, accountId: 'b' }))
  const messages = new Set<string>()
  for (const target of targets)
    for (const attempt of [findInference, cancelInference, openOutput])
      await assert.rejects(attempt(parts, target, options), (error: Error) =>
        Boolean(messages.add(JSON.stringify({ ...error, m: error.message }))),
      )
  assert.equal(messages.size, 1)
  assert.deepEqual((await listInferences(parts, { accountId: 'b', status: null, limit: 10, after: null }, options)).inferences, [])
})

test('an output opens after completion, byte for byte, until 24 hours have passed', async () => {
  const parts = createParts()
  const { id, claim } = await submitAndClaim(parts)
  await assert.rejects(openOutput(parts, { id, accountId: 'a' }, options), { code: 'not_completed' })
  await finish(parts, claim)
  const opened = await openOutput(parts, { id, accountId: 'a' }, options)
  assert.deepEqual([[...(await readChunks(opened.chunks))], opened.output.contentType, opened.output.bytes], [[1, 2], 'image/png', 2])
  await parts.clock.advance(outputRetentionMs - 1)
  await openOutput(parts, { id, accountId: 'a' }, options)
  await parts.clock.advance(1)
  await assert.rejects(openOutput(parts, { id, accountId: 'a' }, options), { code: 'response_expired' })
})

test('the output of a cancelled inference is its error', async () => {
  const parts = createParts()
  const { inference } = await submitInference(parts, makeSubmission(), options)
  const target = { id: inference.id, accountId: 'a' }
  assert.equal((await cancelInference(parts, target, options)).outcome, 'cancelled')
  await assert.rejects(openOutput(parts, target, options), { code: 'request_cancelled' })
})

test('what a failed inference had written is read until it expires, and left out if it is damaged, but not if it cannot be read now', async () => {
  const parts = createParts()
  const { id, claim } = await submitAndClaim(parts)
  const content = { contentType: 'application/json', chunks: [Buffer.from('{"choices":[]}')] }
  const output = await parts.outputs.put({ inferenceId: id, attempt: 1 }, content, options)
  const error = { code: 'inference_timeout', message: 'm', param: null } as const
  await parts.queue.complete(claim, { completion: { outcome: 'failed', error, output }, usage: null }, options)
  const found = await findInference(parts, { id, accountId: 'a' }, options)
  assert.equal(await readWritten(parts, found, options), '{"choices":[]}')
  const refusing = (code: 'internal_error' | 'server_is_overloaded') => {
    const open = () => Promise.reject(new ServiceError(code, 'The output cannot be read.'))
    return readWritten({ ...parts, outputs: { ...parts.outputs, open } }, found, options)
  }
  assert.equal(await refusing('internal_error'), null)
  await assert.rejects(refusing('server_is_overloaded'), { code: 'server_is_overloaded' })
  await parts.clock.advance(outputRetentionMs)
  assert.equal(await readWritten(parts, found, options), null)
})

test('waiting ends with the completion, or with the time', async () => {
  const parts = createParts()
  const { id, claim } = await submitAndClaim(parts)
  const waited = waitForInference(parts, { id, accountId: 'a', waitMs: 60_000 }, options)
  const impatient = waitForInference(parts, { id, accountId: 'a', waitMs: 500 }, options)
  await parts.clock.advance(500)
  assert.equal((await impatient).status, 'running')
  await finish(parts, claim)
  assert.equal((await waited).outcome, 'succeeded')
})

test('waiting takes the requested time, also while the time of the system is set', async () => {
  const parts = createParts()
  const { id } = await submitAndClaim(parts)
  const waited = waitForInference(parts, { id, accountId: 'a', waitMs: 3000 }, options)
  let isOver = false
  void waited.then(() => {
    isOver = true
  })
  const states: boolean[] = []
  for (const hours of [1, -1, 1]) {
    await parts.clock.waiting(1)
    parts.clock.jump(parts.clock.now() + hours * 3_600_000)
    await parts.clock.advance(1000)
    states.push(isOver)
  }
  assert.deepEqual(states, [false, false, true])
})

test('waiting notices a completion without an event', async () => {
  const parts = createParts()
  const { id, claim } = await submitAndClaim(parts)
  const waited = waitForInference(parts, { id, accountId: 'a', waitMs: 60_000 }, options)
  await parts.clock.waiting(1)
  const error = { code: 'numerical_error', message: 'm', param: null } as const
  await parts.queue.complete(claim, { completion: { outcome: 'failed', error }, usage: null }, options)
  await parts.clock.advance(1000)
  assert.equal((await waited).outcome, 'failed')
})

test('a watcher gets the state, progress, previews and the end', async () => {
  const parts = createParts()
  const { id, claim } = await submitAndClaim(parts)
  const updates = watchInference(parts, { id, accountId: 'a' }, options)
  const first = await updates.next()
  assert.ok(first.value?.type === 'inference' && first.value.inference.status === 'running')
  parts.events.publish(id, { type: 'progress', progress: { step: 1, total: 4 } })
  parts.events.publish(id, { type: 'progress', progress: { step: 2, total: 4 } })
  parts.events.publish(id, { type: 'preview', image: Uint8Array.of(255) })
  assert.deepEqual((await findInference(parts, { id, accountId: 'a' }, options)).progress, { step: 2, total: 4 })
  assert.deepEqual((await updates.next()).value, { type: 'progress', progress: { step: 2, total: 4 } })
  assert.equal((await updates.next()).value?.type, 'preview')
  await finish(parts, claim)
  const last = await updates.next()
  assert.ok(last.value?.type === 'inference' && last.value.inference.outcome === 'succeeded')
  assert.equal((await updates.next()).done, true)
})

const word = (text: string) => ({ type: 'text', parts: [{ type: 'text', choice: 0, text }] }) as const

test('a late watcher gets a text from its beginning, a slow one all of it at once', async () => {
  const parts = createParts()
  const { id, claim } = await submitAndClaim(parts)
  const early = watchInference(parts, { id, accountId: 'a' }, options)
  await early.next()
  parts.events.publish(id, word('one'))
  assert.deepEqual((await early.next()).value, word('one'))
  parts.events.publish(id, word(' two'))
  parts.events.publish(id, word(' three'))
  const late = watchInference(parts, { id, accountId: 'a' }, options)
  await late.next()
  assert.deepEqual((await early.next()).value, word(' two three'))
  assert.deepEqual((await late.next()).value, word('one two three'))
  parts.events.publish(id, word('!'))
  await finish(parts, claim)
  assert.deepEqual([(await early.next()).value, (await late.next()).value], [word('!'), word('!')])
  assert.equal((await early.next()).value?.type, 'inference')
  assert.equal(parts.events.writtenBy(id), null)
})

test('the text of a finished attempt is not mixed with the next', async () => {
  const parts = createParts()
  const { id } = await submitAndClaim(parts)
  const updates = watchInference(parts, { id, accountId: 'a' }, options)
  await updates.next()
  parts.events.publish(id, word('lost'))
  parts.events.publish(id, { type: 'status', status: 'running' })
  parts.events.publish(id, word('found'))
  assert.deepEqual((await updates.next()).value, word('found'))
})

test('waiting and watching requests end with the service', async () => {
  const parts = createParts()
  const { id } = await submitAndClaim(parts)
  const waited = waitForInference(parts, { id, accountId: 'a', waitMs: 60_000 }, options)
  const watched = Array.fromAsync(watchInference(parts, { id, accountId: 'a' }, options))
  await parts.clock.waiting(2)
  parts.events.close()
  assert.equal((await waited).status, 'running')
  assert.equal((await watched).length, 1)
})

test('an image that another node draws is awaited while this one stops, not one that waits for a worker', async () => {
  const parts = createParts()
  const caller = { accountId: 'a', tokenId: null, scopes: [], accountLimits: noLimits }
  const draw = () => drawStored(parts, { caller, request: makeImageRequest('a fox'), outputBytes: 10 }, options)
  const drawn = draw()
  await parts.clock.waiting(1)
  const claim = await claimNext(parts.queue)
  const refused = assert.rejects(draw(), { code: 'shutting_down' })
  await parts.clock.waiting(2)
  parts.events.close()
  await refused
  await finish(parts, claim)
  await parts.clock.advance(1000)
  assert.equal((await drawn).id, claim.inference.id)
})

test('a submission that fails asks the ledger to give nothing back that was not set aside', async () => {
  const parts = createParts()
  const queue = { ...parts.queue, enqueue: () => Promise.reject(new Error('the store is away')) }
  const ledger = { reserve: async () => ({ isLimited: false, tokens: 0 }), release: () => new Promise<never>(() => {}) }
  await assert.rejects(submitInference({ ...parts, queue, ledger } as never, makeSubmission(), options), /away/)
})
