import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examineWeights } from '../../src/catalog/checkpoint/examine-weights.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { ModelCatalog } from '../../src/core/ports/model-catalog.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { AssetLibrary } from '../../src/operations/assets/asset-library.ts'
import type { AssetDependencies } from '../../src/operations/assets/assets.ts'
import { UploadsUnderWay } from '../../src/operations/assets/uploads-under-way.ts'
import { openAssetFiles } from '../../src/storage/filesystem/open-asset-files.ts'

/** Everything that uploads need, over a store; the folder is made by the first upload. */
export function createTestAssets({
  store: { documents, accounts },
  clock,
  catalog,
  folder = join(tmpdir(), `sepia-test-${randomUUID()}`),
  bytesPerAccount = 64 * 1024 * 1024,
}: {
  readonly store: Pick<Store, 'documents' | 'accounts'>
  readonly clock: Clock
  readonly catalog: ModelCatalog
  readonly folder?: string
  readonly bytesPerAccount?: number
}): AssetDependencies {
  const files = openAssetFiles({ folder })
  const library = new AssetLibrary({ catalog, documents, files, examine: examineWeights })
  return {
    documents,
    accounts,
    files,
    library,
    uploads: new UploadsUnderWay(),
    examine: examineWeights,
    limits: { bytesPerAccount },
    clock,
  }
}
