import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestAssets } from '../../../test/support/test-assets.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { ExaminedWeights } from '../../core/assets/asset.ts'
import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { createFakeCatalog } from '../../runtimes/fake/fake-catalog.ts'
import { listAssetRecords, putAssetRecord } from './asset-records.ts'
import { completeAsset, receiveAsset } from './uploads.ts'

const options = { signal: new AbortController().signal }
const bytesPerAccount = 1000
const refused = { code: 'quota_exceeded' }

/** Bytes as a safetensors file begins. */
function weights(bytes: number): Uint8Array {
  const piece = new Uint8Array(bytes)
  piece[8] = 0x7b
  return piece
}

interface Sent {
  /** Sends more bytes; resolves when the next ones are awaited, or the upload has ended. */
  send(bytes: number): Promise<void>
  /** Ends the file. */
  end(): Promise<UploadedAsset>
}

async function openUploads() {
  const clock = createTestClock()
  const folder = await createTemporaryFolder()
  const store = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const examined = Promise.withResolvers<ExaminedWeights>()
  const examining = Promise.withResolvers<string>()
  const examine = (path: string): Promise<ExaminedWeights> => {
    examining.resolve(path)
    return examined.promise
  }
  const deps = { ...createTestAssets({ store, clock, catalog: createFakeCatalog([]), folder: folder.path, bytesPerAccount }), examine }
  return {
    deps,
    /** Begins to check a file; resolves while it is read. `end` accepts it. */
    async check(asset: UploadedAsset) {
      const done = completeAsset(deps, asset, options)
      const file = await examining.promise
      return {
        end() {
          const descriptor = { kind: 'lora', name: asset.name, file, family: 'sdxl', bytes: 0, created: 0 } as const
          examined.resolve({ kind: 'asset', descriptor })
          return done
        },
      }
    },
    create: (digit: string) =>
      putAssetRecord(
        deps,
        {
          ...{
            id: `asset_${digit.repeat(32)}`,
            accountId: 'a',
            name: digit,
            kind: 'lora',
            family: 'sdxl',
            isPublic: false,
            description: '',
          },
          ...{ triggerWords: [], base: null, state: 'awaiting', details: '', bytes: 0, found: null, linkKey: '', picture: null },
          ...{ createdAt: clock.now(), deletedAt: null, version: 0 },
        },
        options,
      ),
    /** Begins an upload with its first bytes. */
    async begin(asset: UploadedAsset, first: number, from = 0): Promise<Sent> {
      let next = Promise.withResolvers<number>()
      let awaited = Promise.withResolvers<void>()
      async function* content() {
        yield weights(first)
        for (;;) {
          awaited.resolve()
          const bytes = await next.promise
          next = Promise.withResolvers()
          if (bytes === 0) return
          yield weights(bytes)
        }
      }
      const done = receiveAsset(deps, { asset, content: content(), from, length: null }, options)
      const ended = done.then(
        () => {},
        () => {},
      )
      await Promise.race([awaited.promise, ended])
      return {
        async send(bytes) {
          awaited = Promise.withResolvers()
          next.resolve(bytes)
          await Promise.race([awaited.promise, ended])
        },
        end() {
          next.resolve(0)
          return done
        },
      }
    },
    put: (asset: UploadedAsset, bytes: Uint8Array, length: number) =>
      receiveAsset(
        deps,
        {
          asset,
          content: (async function* () {
            yield bytes
          })(),
          from: 0,
          length,
        },
        options,
      ),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

suite('the quota of uploads', () => {
  test('counts an upload that ended while another one of the account was running', async () => {
    await using uploads = await openUploads()
    const one = await uploads.begin(await uploads.create('1'), 600)
    const other = await uploads.begin(await uploads.create('2'), 100)
    await one.end()
    await other.send(301)
    await assert.rejects(other.end(), refused)
  })

  test('counts an upload once that broke off and continues', async () => {
    await using uploads = await openUploads()
    const first = await uploads.create('1')
    const broken = await uploads.begin(first, 600)
    await broken.send(500)
    await assert.rejects(broken.end(), refused)
    const other = await uploads.begin(await uploads.create('2'), 100)
    const again = await uploads.begin(first, 100, 600)
    await other.send(200)
    assert.equal((await again.end()).bytes, 700)
    assert.equal((await other.end()).bytes, 300)
    const third = await uploads.begin(await uploads.create('3'), 10)
    await assert.rejects(third.end(), refused)
  })

  test('does not count bytes that a refused upload declared', async () => {
    await using uploads = await openUploads()
    const one = await uploads.begin(await uploads.create('1'), 100)
    await assert.rejects(uploads.put(await uploads.create('2'), Buffer.from('PK, a pickle'), 900), { code: 'validation_error' })
    await one.send(900)
    assert.equal((await one.end()).bytes, 1000)
  })
})

suite('the check of an upload', () => {
  test('accepts the bytes that were checked, and no others arrive meanwhile', async () => {
    await using uploads = await openUploads()
    const sent = await uploads.put(await uploads.create('1'), weights(300), 300)
    const check = await uploads.check(sent)
    await assert.rejects(uploads.put(sent, weights(900), 900), { code: 'concurrency_limit_exceeded' })
    const ready = await check.end()
    assert.deepEqual([ready.state, ready.bytes], ['ready', 300])
    assert.equal((await uploads.deps.files.received(ready.id))?.bytes, 300)
  })

  test('of a file that is being checked or uploaded is refused, and a second one returns the result of the first', async () => {
    await using uploads = await openUploads()
    const upload = await uploads.begin(await uploads.create('1'), 300)
    const [asset] = await listAssetRecords(uploads.deps, { accountId: 'a' }, options)
    assert.ok(asset)
    await assert.rejects(completeAsset(uploads.deps, asset, options), { code: 'concurrency_limit_exceeded' })
    const check = await uploads.check(await upload.end())
    await assert.rejects(completeAsset(uploads.deps, asset, options), { code: 'concurrency_limit_exceeded' })
    const ready = await check.end()
    assert.deepEqual(await completeAsset(uploads.deps, asset, options), ready)
  })

  test('leaves no bytes of an upload that was found awaited before it', async () => {
    await using uploads = await openUploads()
    const sent = await uploads.put(await uploads.create('1'), weights(300), 300)
    await (await uploads.check(sent)).end()
    await assert.rejects(uploads.put(sent, weights(900), 900), { code: 'not_found' })
    assert.equal((await uploads.deps.files.received(sent.id))?.bytes, 300)
  })
})
