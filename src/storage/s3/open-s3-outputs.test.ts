import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type S3Fault, startFaultyS3Server } from '../../../test/support/s3/faulty-s3-server.ts'
import { readStored } from '../../../test/support/stored-output.ts'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { openS3Outputs } from './open-s3-outputs.ts'

const options = { signal: new AbortController().signal }
const name = { inferenceId: '0f8fad5b-d9cb-469f-a165-70867728950e', attempt: 1 }
const content = { contentType: 'text/plain', chunks: [new TextEncoder().encode('what was drawn')] }
const cluster = 'one'

async function setUp() {
  const server = await startFaultyS3Server()
  const clock = createImpatientClock()
  const outputs = await openS3Outputs({ address: server.address, cluster, clock, random: () => 0.5 }, options)
  server.requests.length = 0
  return { server, clock, outputs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Pauses between tries are over at once; limits of time only when the test says that they are. */
function createImpatientClock() {
  const limits = new Set<() => void>()
  let now = Date.now()
  const clock: Clock = {
    now: () => now,
    steadyNow: () => now,
    wait(ms, { signal }) {
      if (ms <= 1000) {
        now += ms
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const pass = () => {
          now += ms
          resolve()
        }
        limits.add(pass)
        signal.addEventListener('abort', () => {
          limits.delete(pass)
          reject(signal.reason)
        })
      })
    },
  }
  return { ...clock, advance: (ms: number) => (now += ms), passLimits: () => limits.forEach((pass) => void pass()) }
}

/** Stores and reads once. */
async function storeAndRead(outputs: OutputStore): Promise<string> {
  const reference = await outputs.put(name, content, options)
  return (await readStored(outputs, reference)).toString()
}

const passingFaults: readonly S3Fault[] = [
  ...[503, 500, 429, 409, 507, 520].map((status) => ({ status })),
  ...['RequestTimeout', 'IncompleteBody', 'BadDigest', 'XAmzContentSHA256Mismatch'].map((code) => ({ status: 400, code })),
  'hang',
  'cut',
  'forget',
]

for (const method of ['PUT', 'GET'])
  for (const fault of passingFaults)
    test(`${JSON.stringify(fault)} to the first two ${method}s is repeated, and nothing is stored twice`, async () => {
      await using setup = await setUp()
      const { server, clock, outputs } = setup
      let faults = 0
      server.fault = (request) => (request.method === method && ++faults <= (fault === 'hang' ? 1 : 2) ? fault : undefined)
      server.onHang = clock.passLimits
      assert.equal(await storeAndRead(outputs), 'what was drawn')
      assert.equal([...server.objects.keys()].filter((key) => key.startsWith('v1/')).length, 1)
    })

for (const fault of [{ status: 503 }, 'hang', 'cut'] as const)
  test(`a server that only answers ${JSON.stringify(fault)} fails within eight seconds, with the cause`, async () => {
    await using setup = await setUp()
    const { server, clock, outputs } = setup
    const reference = await outputs.put(name, content, options)
    server.fault = () => fault
    server.onHang = clock.passLimits
    const startedAt = clock.now()
    await assert.rejects(readStored(outputs, reference), { code: 'server_is_overloaded' })
    await assert.rejects(outputs.put(name, content, options), { code: 'server_is_overloaded' })
    assert.ok(clock.now() - startedAt <= 2 * 8000, `${clock.now() - startedAt} ms`)
  })

test('a server that goes silent midway is abandoned after the time for the bytes, and retried while time remains', async () => {
  const large = { contentType: 'text/plain', chunks: [Buffer.alloc(9 * 1024 * 1024, 'ab')] }
  for (const [fault, method] of [
    ['unread', 'PUT'],
    ['stall', 'GET'],
  ] as const) {
    await using setup = await setUp()
    const { server, clock, outputs } = setup
    server.onHang = clock.passLimits
    let faults = 0
    server.fault = (request) => (request.method === method && ++faults === 1 ? fault : undefined)
    const reference = await outputs.put(name, large, options)
    assert.equal((await readStored(outputs, reference)).length, 9 * 1024 * 1024)
    const startedAt = clock.now()
    server.fault = (request) => (request.method === method ? fault : undefined)
    const call = method === 'PUT' ? outputs.put(name, large, options) : readStored(outputs, reference)
    await assert.rejects(call, { code: 'server_is_overloaded', message: /did not respond in time/ })
    assert.ok(clock.now() - startedAt <= 25_000, `${fault}: ${clock.now() - startedAt} ms`)
  }
})

test('a truncated answer is requested again, and one of the right length with wrong bytes is rejected', async () => {
  await using setup = await setUp()
  const { server, outputs } = setup
  const reference = await outputs.put(name, content, options)
  let halves = 0
  server.fault = () => (++halves === 1 ? 'half' : undefined)
  assert.equal((await readStored(outputs, reference)).toString(), 'what was drawn')
  server.fault = () => 'damage'
  const cause = new Error(`${reference.key} is not what was stored there`)
  await assert.rejects(readStored(outputs, reference), { code: 'internal_error', message: /damaged/, cause })
})

test('an object that was replaced between two pieces is rejected, never mixed', async () => {
  await using setup = await setUp()
  const { server, outputs } = setup
  const large = Buffer.alloc(9 * 1024 * 1024, 'ab')
  const reference = await outputs.put(name, { contentType: 'text/plain', chunks: [large] }, options)
  const pieces = await outputs.open(reference, options)
  const other = Buffer.alloc(large.length, 'cd')
  server.objects.set(reference.key, { bytes: other, sha256: '' })
  await assert.rejects(Array.fromAsync(pieces), { code: 'internal_error', message: /damaged/ })
})

test('a machine whose clock is an hour off learns the time of the server', async () => {
  await using setup = await setUp()
  const { server, clock, outputs } = setup
  clock.advance(-60 * 60_000)
  let refused = 0
  server.fault = () => (++refused === 1 ? 'skewed' : undefined)
  await outputs.put(name, content, options)
  assert.equal(refused, 2)
})

test('a permanent error of the server is not retried', async () => {
  await using setup = await setUp()
  const { server, outputs } = setup
  server.fault = () => ({ status: 400, code: 'EntityTooLarge' })
  await assert.rejects(outputs.put(name, content, options), /^Error: The S3 server answered 400 \(EntityTooLarge\) to PUT/)
  assert.equal(server.requests.length, 1)
})

for (const [fault, advice] of [
  [{ status: 403, code: 'InvalidAccessKeyId' }, /answered 403 \(InvalidAccessKeyId\) .*; correct the key and secret of s3-url/],
  [{ status: 401 }, /correct the key and secret/],
  [{ status: 307 }, /correct the address or region of s3-url/],
  [{ status: 404, code: 'NoSuchBucket' }, /create the bucket again/],
  [{ status: 404, code: '' }, /no S3 server answers there: .* proxy in front of it/],
] as const)
  test(`a server that refuses the service with ${JSON.stringify(fault)} counts as unavailable, and the log says what to change`, async () => {
    await using setup = await setUp()
    const { server, outputs } = setup
    const reference = await outputs.put(name, content, options)
    server.fault = () => fault
    const isReported = (error: unknown) => {
      assert.ok(error instanceof ServiceError && error.cause instanceof Error)
      assert.equal(error.code, 'server_is_overloaded')
      assert.match(error.cause.message, advice)
      return true
    }
    await assert.rejects(outputs.put(name, content, options), isReported)
    await assert.rejects(outputs.open(reference, options), isReported)
    server.fault = () => undefined
    assert.equal((await readStored(outputs, reference)).toString(), 'what was drawn')
  })

test('a server that accepts everything at the address of the bucket is not treated as a bucket', async () => {
  await using setup = await setUp()
  const { server, clock, outputs } = setup
  const reference = await outputs.put(name, content, options)
  server.fault = () => 'stranger'
  await assert.rejects(outputs.put({ ...name, attempt: 2 }, content, options), { code: 'server_is_overloaded' })
  await assert.rejects(readStored(outputs, reference), { code: 'server_is_overloaded' })
  await assert.rejects(openS3Outputs({ address: server.address, cluster, clock }, options), /is not an S3 server, or .*; correct s3-url/)
})

test('a success with an error in its body is retried, and nothing counts as stored, deleted or missing', async () => {
  await using setup = await setUp()
  const { server, clock, outputs } = setup
  let faults = 0
  server.fault = () => (++faults <= 2 ? 'belated' : undefined)
  const { key } = await outputs.put(name, content, options)
  assert.ok(server.objects.has(key))
  server.fault = () => 'belated'
  await assert.rejects(outputs.put({ ...name, attempt: 2 }, content, options), { code: 'server_is_overloaded' })
  await assert.rejects(outputs.delete([key], options), { code: 'server_is_overloaded' })
  await assert.rejects(Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), { code: 'server_is_overloaded' })
  assert.ok(server.objects.has(key))
})

test('an output that looks like an S3 error is returned unchanged', async () => {
  await using setup = await setUp()
  const text = '<Error><Code>InternalError</Code></Error>'
  const reference = await setup.outputs.put(name, { ...content, chunks: [Buffer.from(text)] }, options)
  assert.equal((await readStored(setup.outputs, reference)).toString(), text)
})

test('a caller who leaves ends the call at once', async () => {
  await using setup = await setUp()
  const { server, outputs } = setup
  server.fault = () => 'hang'
  const caller = new AbortController()
  const stored = outputs.put(name, content, { signal: caller.signal })
  await server.arrived(1)
  caller.abort(new Error('left'))
  await assert.rejects(stored, { message: 'left' })
})

test('a bucket belongs to one cluster, however many nodes open it at once', async () => {
  await using server = await startFaultyS3Server()
  const clock = createImpatientClock()
  const open = (id: string) => openS3Outputs({ address: server.address, cluster: id, clock }, options)
  const opened = await Promise.allSettled([open('one'), open('one'), open('two'), open('two')])
  assert.equal(opened.filter(({ status }) => status === 'fulfilled').length, 2)
  const refused = opened.find(({ status }) => status === 'rejected')
  assert.match(String(refused?.status === 'rejected' && refused.reason), /belongs to another installation/)
})

test('two thousand outputs are listed in pages and deleted in batches', async () => {
  await using setup = await setUp()
  const { server, clock, outputs } = setup
  for (let index = 0; index < 2001; index++)
    server.objects.set(`v1/2025-12-31T23/id-${index}/1-${(clock.now() - 1).toString(16).padStart(12, '0')}${'0'.repeat(20)}`, {
      bytes: Buffer.alloc(1),
      sha256: '',
    })
  server.objects.set('v1/2025-12-31T23/somebody-elses.txt', { bytes: Buffer.alloc(1), sha256: '' })
  const old = await Array.fromAsync(outputs.listOld({ olderThan: clock.now() }, options))
  assert.deepEqual([old.length, server.requests.length], [2001, 3])
  await outputs.delete(
    old.map(({ key }) => key),
    options,
  )
  assert.deepEqual(
    [server.requests.length, [...server.objects.keys()].sort()],
    [6, ['sepia-cluster.json', 'v1/2025-12-31T23/somebody-elses.txt']],
  )
})

test('an invalid id or key never becomes an address', async () => {
  await using setup = await setUp()
  const { server, outputs } = setup
  for (const inferenceId of ['../../x', 'a?delete', '', 'a b c d'])
    await assert.rejects(outputs.put({ inferenceId, attempt: 1 }, content, options), { code: 'internal_error' })
  const reference = { contentType: 'text/plain', bytes: 1, sha256: '' }
  for (const key of ['sepia-cluster.json', 'v1/../sepia-cluster.json', '?delete', '']) {
    await assert.rejects(outputs.open({ ...reference, key }, options), { code: 'internal_error' })
    await assert.rejects(outputs.delete([key], options), { code: 'internal_error' })
  }
  assert.deepEqual(server.requests, [])
})
