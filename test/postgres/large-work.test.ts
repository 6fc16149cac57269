import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { maxBytesInQueue } from '../../src/storage/postgres/queue/large-work.ts'
import { openS3Outputs } from '../../src/storage/s3/open-s3-outputs.ts'
import { referenceFormat, workFormat } from '../../src/storage/work-format.ts'
import { removeOrphanOutputs } from '../../src/worker/maintenance.ts'
import { claimNext, release, succeed, sweep, tryClaim } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { makeNodeReport } from '../support/cluster/node-report.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'

const initial = { image: new Uint8Array(maxBytesInQueue).fill(7), strength: 0.5 }
const work = { kind: 'image', request: makeImageRequest('a large tiger', { initial }) } as const
const large = (more = {}) => makeSubmission({ work, ...more })
const hourMs = 60 * 60 * 1000

/** A store that keeps large work in a bucket. */
async function start({ limits = roomy } = {}) {
  await using parts = new AsyncDisposableStack()
  const clock = createTestClock()
  const bucket = parts.use(await startFaultyS3Server())
  const url = await createDatabase()
  const open = () => openPostgresStore({ url, clock, limits, mode: 'service', time: 'clock' })
  const store = parts.use(await open())
  const outputs = await openS3Outputs({ address: bucket.address, cluster: 'c', clock, random: () => 0.5 }, options)
  store.keepLargeWorkIn?.(outputs)
  const keys = () => [...bucket.objects.keys()].filter((key) => key.startsWith('v1/'))
  const owned = parts.move()
  return { store, bucket, outputs, clock, keys, open, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const rowsOf = ({ database }: PostgresStore) =>
  database.all('select work_format, length(body) as bytes, stored_bytes from queue order by seq', {}, { repeatable: true })

suite('large pending requests on PostgreSQL', { skip: withoutPostgres }, () => {
  test('are in the bucket while they wait, and are removed when they end', async () => {
    await using it = await start()
    await it.store.queue.enqueue(makeSubmission(), options)
    await it.store.queue.enqueue(large(), options)
    const [small, reference] = await rowsOf(it.store)
    assert.equal(small?.work_format, workFormat)
    assert.equal(reference?.work_format, referenceFormat)
    assert.ok(Number(reference?.bytes) < 300 && Number(reference?.stored_bytes) > maxBytesInQueue, 'the account is charged for all of it')
    assert.equal(it.keys().length, 1)
    const claims = [await claimNext(it.store.queue), await claimNext(it.store.queue)]
    const claim = claims.find(({ inference }) => it.keys()[0]?.includes(inference.id))
    assert.ok(claim !== undefined)
    const found = (await claim.load(options)).work
    assert.ok(found.kind === 'image' && found.request.initial !== null)
    assert.deepEqual(Buffer.from(found.request.initial.image), Buffer.from(initial.image))
    assert.equal(await release(it.store.queue, claim), 'requeued')
    assert.equal(it.keys().length, 1)
    const before = it.bucket.requests.length
    assert.equal(await succeed(it.store.queue, await claimNext(it.store.queue)), 'completed')
    await it.bucket.arrived(before + 1)
    assert.deepEqual(it.keys(), [])
  })

  test('leave nothing behind if rejected or repeated', async () => {
    await using it = await start({ limits: { maxPending: 1 } })
    const idempotency = { key: 'k', fingerprint: 'f' }
    const first = await it.store.queue.enqueue(large({ idempotency }), options)
    const before = it.bucket.requests.length
    assert.equal((await it.store.queue.enqueue(large({ idempotency }), options)).inference.id, first.inference.id)
    await it.bucket.arrived(before + 2)
    await assert.rejects(it.store.queue.enqueue(large(), options), { code: 'server_is_overloaded' })
    await it.bucket.arrived(before + 4)
    assert.equal(it.keys().length, 1)
    await it.store.queue.cancel({ id: first.inference.id, accountId: 'a' }, options)
    await it.bucket.arrived(before + 5)
    assert.deepEqual(it.keys(), [])
  })

  test('are rejected while the bucket is down, and small ones are not', async () => {
    await using it = await start()
    const hanging = new Promise<void>((resolve) => {
      it.bucket.onHang = resolve
    })
    it.bucket.fault = ({ method }) => (method === 'PUT' ? 'hang' : undefined)
    const refused = assert.rejects(it.store.queue.enqueue(large(), options), { code: 'server_is_overloaded', retryAfterSeconds: 5 })
    await hanging
    await it.store.queue.enqueue(makeSubmission(), options)
    await it.clock.advance(8000)
    await refused
    assert.equal((await rowsOf(it.store)).length, 1)
  })

  test('are read only once the bucket is up again', async () => {
    await using it = await start()
    await it.store.queue.enqueue(large(), options)
    const claim = await claimNext(it.store.queue)
    const hanging = new Promise<void>((resolve) => {
      it.bucket.onHang = resolve
    })
    it.bucket.fault = ({ method }) => (method === 'GET' ? 'hang' : undefined)
    const refused = assert.rejects(async () => claim.load(options), { code: 'server_is_overloaded' })
    await hanging
    await it.clock.advance(20_000)
    await refused
    it.bucket.fault = () => undefined
    assert.equal((await claim.load(options)).work.kind, 'image')
  })

  test('are reported if missing or damaged', async () => {
    await using it = await start()
    await it.store.queue.enqueue(large(), options)
    const claim = await claimNext(it.store.queue)
    const unreadable = { code: 'internal_error', message: 'The stored request cannot be read; send it again.' }
    it.bucket.fault = ({ method }) => (method === 'GET' ? 'damage' : undefined)
    await assert.rejects(async () => claim.load(options), unreadable)
    it.bucket.fault = () => undefined
    it.bucket.objects.clear()
    await assert.rejects(async () => claim.load(options), unreadable)
  })

  test('are swept as orphans after an interrupted submission or end, unless they are pending', async () => {
    await using it = await start()
    const { store, outputs, clock } = it
    const waiting = await store.queue.enqueue(large(), options)
    // Stored by a node that died before it wrote the row.
    await outputs.put(
      { inferenceId: '019b76da-a800-7000-8444-555555555555', attempt: 0 },
      { contentType: 'x', chunks: [initial.image] },
      options,
    )
    it.bucket.fault = ({ method }) => (method === 'POST' ? { status: 400 } : undefined)
    const ended = await store.queue.enqueue(large(), options)
    const before = it.bucket.requests.length
    await store.queue.cancel({ id: ended.inference.id, accountId: 'a' }, options)
    await it.bucket.arrived(before + 1)
    it.bucket.fault = () => undefined
    assert.equal(it.keys().length, 3)
    await clock.advance(hourMs + 1)
    await removeOrphanOutputs({ outputs, documents: store.documents, log: store.log, clock }, options)
    assert.deepEqual(
      it.keys().map((key) => key.split('/')[2]),
      [waiting.inference.id],
    )
    // Work that waited too long is removed too.
    await sweep(store.queue, { maxQueueMs: hourMs })
    await removeOrphanOutputs({ outputs, documents: store.documents, log: store.log, clock }, options)
    assert.deepEqual(it.keys(), [])
  })

  test('stay in the queue while a node of an earlier version is up, and are left to nodes that can read them', async () => {
    await using it = await start()
    await it.store.nodes.report(makeNodeReport('old'), options)
    await it.store.queue.enqueue(large(), options)
    assert.deepEqual(it.keys(), [])
    await using old = await it.open()
    assert.equal(await succeed(old.queue, await claimNext(old.queue)), 'completed')
    await it.store.nodes.leave('old', options)
    await it.clock.advance(3000)
    await it.store.queue.enqueue(large(), options)
    assert.equal(it.keys().length, 1)
    assert.equal(await tryClaim(old.queue), null)
    assert.equal(await succeed(it.store.queue, await claimNext(it.store.queue)), 'completed')
  })
})
