import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestAssets } from '../../../test/support/test-assets.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetFiles } from '../../core/ports/asset-files.ts'
import { createFakeCatalog } from '../../runtimes/fake/fake-catalog.ts'
import { findAssetRecord, putAssetRecord } from './asset-records.ts'
import { setAssetPicture } from './assets.ts'

const options = { signal: new AbortController().signal }
const id = `asset_${'1'.repeat(32)}`
const [first, second] = [
  { bytes: Buffer.from('first'), format: 'png' },
  { bytes: Buffer.from('second'), format: 'jpeg' },
]

/** An asset with its first picture. */
async function openPictures(changes: Partial<AssetFiles> = {}) {
  const clock = createTestClock()
  const folder = await createTemporaryFolder()
  const store = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const deps = createTestAssets({ store, clock, catalog: createFakeCatalog([]), folder: folder.path })
  const described = { id, accountId: 'a', name: '1', kind: 'lora', family: 'sdxl', isPublic: false, description: '' } as const
  const awaiting = { triggerWords: [], base: null, state: 'awaiting', details: '', bytes: 0, found: null, linkKey: '' } as const
  const times = { createdAt: clock.now(), deletedAt: null, version: 0 }
  const made = await putAssetRecord(deps, { ...described, ...awaiting, ...times, picture: null }, options)
  const asset = await setAssetPicture(deps, { asset: made, picture: first }, options)
  return {
    asset,
    deps: { ...deps, files: { ...deps.files, ...changes } },
    /** The media type and the bytes of its picture. */
    async shown() {
      const stored = await deps.files.open(id, 'picture', options)
      const bytes = stored && Buffer.concat(await Array.fromAsync(stored.pieces)).toString()
      return [(await findAssetRecord(deps, id, options))?.picture, bytes]
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

suite('the picture of an asset', () => {
  test('stays if the asset was changed while another was set', async () => {
    await using pictures = await openPictures()
    const { asset, deps } = pictures
    await putAssetRecord(deps, { ...asset, description: 'changed' }, options)
    await assert.rejects(setAssetPicture(deps, { asset, picture: second }, options), { code: 'idempotency_conflict' })
    assert.deepEqual(await pictures.shown(), ['image/png', 'first'])
  })

  test('stays if another cannot be stored', async () => {
    const putPicture: AssetFiles['putPicture'] = async () => {
      throw new ServiceError('server_is_overloaded', 'The disk is full.')
    }
    await using pictures = await openPictures({ putPicture })
    const { asset, deps } = pictures
    await assert.rejects(setAssetPicture(deps, { asset, picture: second }, options), { code: 'server_is_overloaded' })
    assert.deepEqual(await pictures.shown(), ['image/png', 'first'])
  })
})
