import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryNodeRegistry } from '../../../test/support/memory/node-registry.ts'
import { type FaultyS3Server, startFaultyS3Server } from '../../../test/support/s3/faulty-s3-server.ts'
import { createSystemClock } from '../system-clock.ts'
import { openBucket } from './open-bucket.ts'

const options = { signal: new AbortController().signal }
const clock = createSystemClock()
const marker = 'sepia-cluster.json'

/** Opens the bucket of a server as one more node of a cluster. */
function createCluster() {
  const registry = createMemoryNodeRegistry({ clock })
  return (server: FaultyS3Server) => openBucket({ type: 's3', address: server.address, secretFile: null }, { clock, registry }, options)
}

suite('the bucket of a cluster', () => {
  test('a node with another bucket than the others is rejected, and leaves nothing there', async () => {
    await using shared = await startFaultyS3Server()
    await using other = await startFaultyS3Server()
    const open = createCluster()
    await open(shared)
    await open(shared)
    for (let start = 0; start < 2; start++) await assert.rejects(open(other), /does not hold the outputs of this database/)
    assert.deepEqual([...other.objects.keys()], [])
  })

  test('a missing bucket is created only for the first node', async () => {
    await using shared = await startFaultyS3Server()
    const open = createCluster()
    const missing: FaultyS3Server['fault'] = ({ method, key }) =>
      method === 'HEAD' && key === '' ? { status: 404, code: 'NoSuchBucket' } : undefined
    shared.fault = missing
    await open(shared)
    assert.ok(shared.requests.includes('PUT '))
    shared.fault = () => undefined
    await open(shared)
    await using other = await startFaultyS3Server()
    other.fault = missing
    await assert.rejects(open(other), /does not hold the outputs of this database/)
    assert.ok(!other.requests.includes('PUT '))
  })

  test('when nodes start at once with two buckets, only those with the same bucket stay', async () => {
    await using one = await startFaultyS3Server()
    await using two = await startFaultyS3Server()
    const open = createCluster()
    const opened = await Promise.allSettled([one, two, one, two].map(open))
    const stayed = opened.flatMap(({ status }, index) => (status === 'fulfilled' ? [index % 2] : []))
    assert.deepEqual([stayed.length, new Set(stayed).size], [2, 1])
  })

  test('a bucket of an earlier version stays valid, also after it is copied to another server', async () => {
    await using shared = await startFaultyS3Server()
    const open = createCluster()
    const registry = createMemoryNodeRegistry({ clock })
    const cluster = await registry.cluster(options)
    const outputs = { type: 's3', address: shared.address, secretFile: null } as const
    shared.objects.set(marker, { bytes: Buffer.from(JSON.stringify({ cluster })), sha256: '' })
    for (let node = 0; node < 2; node++) await openBucket(outputs, { clock, registry }, options)

    await using first = await startFaultyS3Server()
    await using copy = await startFaultyS3Server()
    await open(first)
    for (const [key, object] of first.objects) copy.objects.set(key, object)
    await open(copy)
  })
})
