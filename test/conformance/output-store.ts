import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { OutputStore } from '../../src/core/ports/output-store.ts'
import { readStored } from '../support/stored-output.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options } from './store-factory.ts'

export type OutputStoreFactory = (settings: { readonly clock: Clock }) => Promise<OutputStore & AsyncDisposable>

const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
const bytes = Uint8Array.of(1, 2, 3, 0, 255)
const content = { contentType: 'image/png', chunks: [bytes] }

/** Storing, reading and deleting outputs. */
export function testOutputStore(name: string, open: OutputStoreFactory): void {
  test(`${name} outputs: are returned byte for byte, separately for each attempt`, async () => {
    await using outputs = await open({ clock: createTestClock() })
    const first = await outputs.put({ inferenceId: id, attempt: 1 }, content, options)
    const second = await outputs.put({ inferenceId: id, attempt: 2 }, { ...content, chunks: [Uint8Array.of(9)] }, options)
    const { key, ...facts } = first
    assert.deepEqual(facts, { contentType: 'image/png', bytes: 5, sha256: createHash('sha256').update(bytes).digest('hex') })
    assert.notEqual(key, second.key)
    assert.deepEqual([...(await readStored(outputs, first))], [...bytes])
    assert.deepEqual([...(await readStored(outputs, second))], [9])
  })

  test(`${name} outputs: are written and read in pieces, and a single part can be read`, async () => {
    await using outputs = await open({ clock: createTestClock() })
    const whole = Buffer.alloc(3_000_000, 'abcdefghijk')
    const chunks = [whole.subarray(0, 1_234_567), whole.subarray(1_234_567)]
    const reference = await outputs.put({ inferenceId: id, attempt: 1 }, { contentType: 'text/plain', chunks }, options)
    assert.deepEqual([reference.bytes, reference.sha256], [whole.length, createHash('sha256').update(whole).digest('hex')])
    assert.ok((await readStored(outputs, reference)).equals(whole))
    const part = await outputs.readPart(reference, { offset: 1_000_000, length: 500_000 }, options)
    assert.ok(whole.subarray(1_000_000, 1_500_000).equals(part))
    assert.equal((await outputs.readPart(reference, { offset: 2_999_999, length: 10 }, options)).length, 1)
    await outputs.delete([reference.key], options)
    await assert.rejects(outputs.readPart(reference, { offset: 0, length: 1 }, options), { code: 'internal_error' })
  })

  test(`${name} outputs: a missing or damaged output is an error, never wrong bytes`, async () => {
    await using outputs = await open({ clock: createTestClock() })
    const reference = await outputs.put({ inferenceId: id, attempt: 1 }, content, options)
    const deleted = await outputs.put({ inferenceId: id, attempt: 2 }, content, options)
    await outputs.delete([deleted.key], options)
    await assert.rejects(readStored(outputs, deleted), { code: 'internal_error' })
    await assert.rejects(readStored(outputs, { ...reference, sha256: '0'.repeat(64) }), { code: 'internal_error' })
  })

  test(`${name} outputs: are deleted by their keys, which may be repeated`, async () => {
    await using outputs = await open({ clock: createTestClock() })
    const [first, second] = [
      await outputs.put({ inferenceId: id, attempt: 1 }, content, options),
      await outputs.put({ inferenceId: id, attempt: 2 }, content, options),
    ]
    const neighbour = await outputs.put({ inferenceId: `${id.slice(0, -1)}f`, attempt: 1 }, content, options)
    await outputs.delete([first.key, second.key], options)
    await outputs.delete([second.key, first.key, first.key], options)
    for (const gone of [first, second]) await assert.rejects(readStored(outputs, gone), { code: 'internal_error' })
    assert.equal((await readStored(outputs, neighbour)).length, 5)
  })

  test(`${name} outputs: lists outputs stored before a time, by the clock of the store`, async () => {
    const clock = createTestClock()
    await using outputs = await open({ clock })
    const { key } = await outputs.put({ inferenceId: id, attempt: 1 }, content, options)
    assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() }, options)), [])
    assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), [{ key, inferenceId: id }])
  })
}
