import type { ExaminedWeights } from '../../core/assets/asset.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { AssetFiles } from '../../core/ports/asset-files.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { AssetLibrary } from './asset-library.ts'
import type { UploadsUnderWay } from './uploads-under-way.ts'

/** Bounds of what one account may upload. */
export interface AssetLimits {
  /** Bytes of all its files together. */
  readonly bytesPerAccount: number
}

/** What the operations on uploaded assets need. */
export interface AssetDependencies {
  readonly documents: DocumentStore
  readonly accounts: AccountStore
  readonly files: AssetFiles
  readonly library: AssetLibrary
  readonly uploads: UploadsUnderWay
  /** Reads the header of the file at a path, which goes by a name from then on. */
  readonly examine: (path: string, name: string) => Promise<ExaminedWeights>
  readonly limits: AssetLimits
  readonly clock: Clock
}
