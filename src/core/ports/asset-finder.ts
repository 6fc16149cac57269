import type { AssetDescriptor, AssetKind } from '../assets/asset.ts'
import type { UpscalerFacts } from '../model.ts'

/** Looks installed assets up by name. */
export type FindAsset = (kind: AssetKind, name: string) => AssetDescriptor | undefined

/** Looks installed upscalers up by name. */
export type FindUpscaler = (name: string) => UpscalerFacts | undefined
