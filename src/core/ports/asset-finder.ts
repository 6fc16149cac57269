import type { AssetDescriptor, AssetKind } from '../assets/asset.ts'

/** Looks installed assets up by name. */
export type FindAsset = (kind: AssetKind, name: string) => AssetDescriptor | undefined
