import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimNext, succeed } from '../../test/conformance/claiming.ts'
import { createMemoryOutputs } from '../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { readStored } from '../../test/support/stored-output.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts'
import { outputRetentionMs, recordRetentionMs } from '../core/inference.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import { requestedRetentionMs, requestRetentionMs } from '../core/requests/request-record.ts'
import { WorkUnderWay } from '../operations/access/work-under-way.ts'
import { findKeptPicture, keepPicture, removeKeptPicture } from '../operations/pictures/kept-pictures.ts'
import { Thumbnails } from '../operations/pictures/thumbnails.ts'
import { expireDocuments, type MaintenanceDependencies, removeOrphanOutputs, startMaintenance } from './maintenance.ts'
import type { WebhookPost } from './post-webhook.ts'

const options = { signal: new AbortController().signal }
const settings = { maxQueueMs: 60_000, leaseMs: 30_000 }

function createParts(answers: readonly number[] = []) {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 100 } })
  const posts: WebhookPost[] = []
  const deps: MaintenanceDependencies = {
    ...store,
    outputs: createMemoryOutputs({ clock }),
    clock,
    encodeWebhook: ({ id, outcome }) => JSON.stringify({ id, outcome }),
    post: async (post) => ({ status: answers[posts.push(post) - 1] ?? 200 }),
    random: () => 0,
    onAttempt: () => {},
    underWay: new WorkUnderWay(),
    heldClaims: () => [],
    onSwept: () => {},
    onExpired: () => {},
    onQueueAge: () => {},
    onFault: (duty, error) => assert.fail(`${duty}: ${error}`),
  }
  return { deps, posts, clock }
}

/** Moves time on by so much, without all the seconds in between. */
async function sleepThrough(clock: TestClock, ms: number): Promise<void> {
  await clock.advance(0)
  clock.jump(clock.now() + ms)
  await clock.advance(0)
}

async function completeOne(deps: MaintenanceDependencies, webhookUrl: string | null = null, accountId = 'a') {
  const { inference } = await deps.queue.enqueue(makeSubmission({ webhookUrl, accountId }), options)
  const claim = await claimNext(deps.queue)
  const key = { inferenceId: inference.id, attempt: claim.attempt }
  const output = await deps.outputs.put(key, { contentType: 'image/png', chunks: [Uint8Array.of(1)] }, options)
  await succeed(deps.queue, claim, output)
  return { id: inference.id, output }
}

test('the age of the queue is reported, and as unknown while the store is down', async () => {
  const { deps, clock } = createParts()
  const ages: (number | null)[] = []
  const faults: string[] = []
  let away = false
  const { log } = deps
  const reported = {
    log: {
      find: log.find.bind(log),
      list: log.list.bind(log),
      findOrphans: log.findOrphans.bind(log),
      oldestPending: async (use: typeof options) => (away ? Promise.reject(new Error('away')) : log.oldestPending(use)),
    },
    onQueueAge: (ms: number | null) => ages.push(ms),
  }
  await using _maintenance = startMaintenance({ ...deps, ...reported, onFault: (duty) => faults.push(duty) }, settings)
  await deps.queue.enqueue(makeSubmission(), options)
  await clock.advance(5000)
  away = true
  await clock.advance(5000)
  assert.deepEqual([ages, faults], [[0, 5000, null], ['measure-queue']])
})

test('an output is kept for 24 hours and deleted within five minutes after them', async () => {
  const { deps, clock } = createParts()
  await using _maintenance = startMaintenance(deps, settings)
  const { id, output } = await completeOne(deps)
  await sleepThrough(clock, outputRetentionMs - 1)
  assert.equal((await readStored(deps.outputs, output)).length, 1)
  await clock.advance(5 * 60_000)
  await assert.rejects(readStored(deps.outputs, output), { code: 'internal_error' })
  assert.notEqual(await deps.log.find(id, 'a', options), null)
  await sleepThrough(clock, recordRetentionMs)
  assert.equal(await deps.log.find(id, 'a', options), null)
})

test('an output that expired while the service was down is deleted at the start', async () => {
  const { deps, clock } = createParts()
  const { output } = await completeOne(deps)
  clock.jump(clock.now() + outputRetentionMs)
  await using _maintenance = startMaintenance(deps, settings)
  await clock.advance(0)
  await assert.rejects(readStored(deps.outputs, output), { code: 'internal_error' })
})

test('more expired requests than one commit deletes are gone within the same minute', async () => {
  const { deps, clock } = createParts()
  const requested = { excerpt: 'a tiger', call: null }
  const record = { accountId: 'a', tokenId: null, kind: 'image', model: 'm', at: clock.now(), requested, result: null } as const
  const records = Array.from({ length: 2500 }, (_, index) => ({ ...record, id: `request-${index}` }))
  const wanted = { accountId: 'a', search: null, kind: null, deferred: null, ids: null, before: null, limit: 3000 }
  await deps.requests.append(records, options)
  await using _maintenance = startMaintenance(deps, settings)
  await sleepThrough(clock, requestedRetentionMs)
  await clock.advance(60_000)
  const blanked = await deps.requests.list(wanted, options)
  assert.deepEqual([blanked.length, blanked.filter(({ requested: kept }) => kept !== null).length], [2500, 0])
  await sleepThrough(clock, requestRetentionMs - requestedRetentionMs)
  await clock.advance(60_000)
  assert.equal((await deps.requests.list(wanted, options)).length, 0)
})

test('files without a record are deleted, except recent ones', async () => {
  const { deps, clock } = createParts()
  const { output } = await completeOne(deps)
  const orphan = { inferenceId: crypto.randomUUID(), attempt: 1 }
  const content = { contentType: 'image/png', chunks: [Uint8Array.of(1)] }
  const left = await deps.outputs.put(orphan, content, options)
  await using _maintenance = startMaintenance(deps, settings)
  await sleepThrough(clock, 30 * 60_000)
  await readStored(deps.outputs, left)
  await sleepThrough(clock, 60 * 60_000)
  await assert.rejects(readStored(deps.outputs, left))
  await readStored(deps.outputs, output)
})

test('a hanging output store does not stop lost leases from being requeued', async () => {
  const { deps, clock } = createParts()
  await completeOne(deps)
  clock.jump(clock.now() + outputRetentionMs)
  const hanging = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<void>()
  const outputs = {
    ...deps.outputs,
    delete: async (keys: readonly string[]) => {
      if (keys.length > 0) requested.resolve()
      return hanging.promise
    },
  }
  const { inference } = await deps.queue.enqueue(makeSubmission(), options)
  await claimNext(deps.queue)
  const maintenance = startMaintenance({ ...deps, outputs }, settings)
  await requested.promise
  await clock.advance(40_000)
  assert.equal((await deps.log.find(inference.id, 'a', options))?.status, 'pending')
  hanging.resolve()
  await maintenance[Symbol.asyncDispose]()
})

test('the output of a lost attempt is deleted, and that of the valid attempt stays', async () => {
  const { deps, clock } = createParts()
  const { id, output } = await completeOne(deps)
  const left = await deps.outputs.put({ inferenceId: id, attempt: 7 }, { contentType: 'image/png', chunks: [Uint8Array.of(2)] }, options)
  await using _maintenance = startMaintenance(deps, settings)
  await sleepThrough(clock, 75 * 60_000)
  await assert.rejects(readStored(deps.outputs, left))
  assert.equal((await readStored(deps.outputs, output)).length, 1)
})

test('a webhook is posted, signed, again after 5 seconds and 5 minutes, until a 2xx', async () => {
  const { deps, posts, clock } = createParts([500, 503, 204])
  await using _maintenance = startMaintenance(deps, settings)
  const { id } = await completeOne(deps, 'https://example.com/hook')
  await clock.advance(1000)
  assert.equal(posts.length, 1)
  await clock.advance(6000)
  assert.equal(posts.length, 2)
  await sleepThrough(clock, 5 * 60_000)
  assert.equal(posts.length, 3)
  await sleepThrough(clock, 30 * 60 * 60_000)
  assert.equal(posts.length, 3)
  assert.deepEqual([...new Set(posts.map(({ headers }) => headers['webhook-id']))].length, 1)
  assert.match(posts[0]?.headers['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}=$/)
  assert.equal(posts[0]?.body, JSON.stringify({ id, outcome: 'succeeded' }))
  const [delivery] = await deps.webhooks.list('a', options)
  assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.lastResult], ['delivered', 3, '204'])
})

test('no webhook is posted for a disabled account until it is enabled again', async () => {
  const { deps, posts, clock } = createParts()
  const eve = { id: 'eve', name: 'Eve', email: null, role: 'member', createdAt: 0, disabledAt: null, limits: noLimits } as const
  await deps.accounts.create(eve, options)
  await using _maintenance = startMaintenance(deps, settings)
  await completeOne(deps, 'https://example.com/hook', eve.id)
  await deps.accounts.change(eve.id, { by: null, disabledAt: clock.now() }, options)
  await clock.advance(2000)
  const [delivery] = await deps.webhooks.list(eve.id, options)
  assert.deepEqual([posts, delivery?.state, delivery?.lastResult], [[], 'waiting', 'account disabled'])
  await deps.accounts.change(eve.id, { by: null, disabledAt: null }, options)
  await clock.advance(6000)
  assert.equal(posts.length, 1)
})

test('a hundred hanging receivers of one account delay no webhook of another account', async () => {
  const { deps, posts, clock } = createParts()
  const hanging = Promise.withResolvers<{ readonly status: number }>()
  const post: MaintenanceDependencies['post'] = (message, postOptions) =>
    message.url.includes('slow') ? hanging.promise : deps.post(message, postOptions)
  for (let round = 0; round < 100; round++) await completeOne(deps, `https://slow-${round}.example.com/`)
  await using _maintenance = startMaintenance({ ...deps, post }, settings)
  await clock.advance(1000)
  await completeOne(deps, 'https://example.com/', 'b')
  await clock.advance(1000)
  hanging.resolve({ status: 200 })
  assert.deepEqual(
    posts.map(({ url }) => url),
    ['https://example.com/'],
  )
})

test('hanging receivers of any number of accounts delay no webhook of another account', async () => {
  const { deps, posts, clock } = createParts()
  const hanging = Promise.withResolvers<{ readonly status: number }>()
  let slow = 0
  const post: MaintenanceDependencies['post'] = (message, postOptions) => {
    if (!message.url.includes('slow')) return deps.post(message, postOptions)
    slow += 1
    return hanging.promise
  }
  for (let account = 0; account < 40; account++)
    for (let round = 0; round < 5; round++) await completeOne(deps, 'https://slow.example.com/', `slow-${account}`)
  await using _maintenance = startMaintenance({ ...deps, post }, settings)
  await clock.advance(5000)
  await completeOne(deps, 'https://example.com/', 'b')
  await clock.advance(1000)
  const underway = slow
  hanging.resolve({ status: 200 })
  assert.deepEqual(
    posts.map(({ url }) => url),
    ['https://example.com/'],
  )
  assert.ok(underway <= 256, `${underway} connections`)
})

test('a hanging receiver delays no other webhook', async () => {
  const { deps, posts, clock } = createParts()
  const hanging = Promise.withResolvers<{ readonly status: number }>()
  const post: MaintenanceDependencies['post'] = (message, postOptions) =>
    message.url.includes('slow') ? hanging.promise : deps.post(message, postOptions)
  const maintenance = startMaintenance({ ...deps, post }, settings)
  await completeOne(deps, 'https://slow.example.com/')
  await completeOne(deps, 'https://example.com/')
  await clock.advance(5000)
  assert.deepEqual(
    posts.map(({ url }) => url),
    ['https://example.com/'],
  )
  hanging.resolve({ status: 200 })
  await maintenance[Symbol.asyncDispose]()
})

test('documents are removed once they have expired', async () => {
  const { deps, clock } = createParts()
  await using _maintenance = startMaintenance(deps, settings)
  const document = { kind: 'response', accountId: 'a', value: null, at: 0, label: null, text: '', attachedBytes: 0 } as const
  for (const [id, expiresAt] of [
    ['kept', null],
    ...Array.from({ length: 250 }, (_, index) => [`gone-${index}`, clock.now() + 1000] as const),
  ] as const)
    await deps.documents.put({ ...document, id, expiresAt }, { ...options, most: 1e6 })
  await sleepThrough(clock, 1000)
  await clock.advance(5000)
  // Back in time, what was only hidden would show again.
  clock.jump(0)
  assert.equal((await deps.documents.sum({ accountId: 'a', kind: null }, options)).count, 1)
})

test('a kept picture is not deleted as an orphan, and a deleted one leaves no file', async () => {
  const clock = createTestClock()
  const { documents, log } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const deps = { documents, outputs, log, clock, maxDocumentBytes: 1000 }
  const facts = { inferenceId: 'i', index: 0, seed: 1, model: 'm', prompt: 'a tiger', contentType: 'image/png', bytes: Uint8Array.of(1, 2) }
  const id = await keepPicture(deps, { accountId: 'a', ...facts }, options)
  await clock.advance(48 * 60 * 60 * 1000)
  await removeOrphanOutputs(deps, options)
  const { file } = await findKeptPicture(deps, { accountId: 'a', id }, options)
  assert.deepEqual(Buffer.concat(await Array.fromAsync(await outputs.open(file, options))), Buffer.of(1, 2))
  await removeKeptPicture(deps, { accountId: 'a', id }, options)
  assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), [])
})

test('a thumbnail is not deleted as an orphan, and expires with its picture', async () => {
  const clock = createTestClock()
  const { documents, log } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const inspectImage = async () => ({ format: 'png', width: 8, height: 8, thumbnail: Uint8Array.of(1) })
  const deps = { documents, outputs, log, clock, inspectImage, maxDocumentBytes: 1000 }
  const files = () => Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))
  const read = async () => Uint8Array.of(1, 2)
  const source = { accountId: 'a', picture: 'i.0', expiresAt: clock.now() + outputRetentionMs, read }
  await new Thumbnails(deps).open(source, 160, options)
  await clock.advance(outputRetentionMs - 1)
  await removeOrphanOutputs(deps, options)
  assert.equal((await files()).length, 1)
  await clock.advance(1)
  await expireDocuments(deps, options)
  assert.deepEqual(await files(), [])
})

test('keeping a picture twice at once makes one copy', async () => {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const facts = { inferenceId: 'i', index: 0, seed: 1, model: 'm', prompt: '', contentType: 'image/png', bytes: new Uint8Array(9) }
  const deps = { documents, outputs, clock, maxDocumentBytes: 1000 }
  const ids = await Promise.all([0, 1, 2].map(() => keepPicture(deps, { accountId: 'a', ...facts }, options)))
  assert.equal(new Set(ids).size, 1)
  const stored = await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))
  const { file } = await findKeptPicture(deps, { accountId: 'a', id: ids[0] ?? '' }, options)
  assert.deepEqual(
    stored.map(({ key }) => key),
    [file.key],
  )
})

test('a picture beyond the storage limit of the account is refused and leaves nothing', async () => {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const facts = { inferenceId: 'i', index: 0, seed: 1, model: 'm', prompt: '', contentType: 'image/png', bytes: new Uint8Array(90) }
  const deps = { documents, outputs, clock, maxDocumentBytes: 100 }
  await assert.rejects(keepPicture(deps, { accountId: 'a', ...facts }, options), { code: 'quota_exceeded' })
  assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), [])
})
