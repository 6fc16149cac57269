import type { AssetDescriptor, ImageAssetKind } from '../../core/assets/asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { ImageRequest } from '../../core/image-generation.ts'
import { takesEdges } from '../../core/images/controlnet.ts'
import { decodePicture } from './pictures/decode-image.ts'
import { findEdges } from './pictures/find-edges.ts'
import { type PixelSize, toPlanes } from './pictures/rgb-image.ts'
import type { PixelPlanes } from './vae/vae-decoder.ts'

/** A ControlNet and what it is shown. */
export interface UsedControlnet {
  /** Absolute path. */
  readonly file: string
  /** Red, green and blue from −1 to 1, at the size of the drawing. */
  readonly picture: PixelPlanes
  /** Strength; 1 = as trained. */
  readonly scale: number
  /** Share of the drawing after which it no longer applies; 1 = never. */
  readonly until: number
}

/** Files that a drawing uses besides its model, by absolute paths. */
export interface UsedAssets {
  /** `textWeight`: for text encoders, where it is another. */
  readonly loras: readonly { readonly file: string; readonly weight: number; readonly textWeight?: number }[]
  readonly textualInversions: readonly { readonly file: string; readonly trigger: string }[]
  readonly controlnets: readonly UsedControlnet[]
  /** Stands in for the model's own VAE; null = that one. */
  readonly vae: string | null
  /** Blocks of the network that skip-layer guidance leaves out; absent = none. */
  readonly skippedLayers?: readonly number[]
}

/** Whether a drawing uses its model alone. */
export function isPlain({ loras, textualInversions, controlnets, vae, skippedLayers }: UsedAssets): boolean {
  return skippedLayers === undefined && loras.length + textualInversions.length + controlnets.length === 0 && vae === null
}

/**
 * Reads the files of a request's assets, and its control pictures scaled to the size of the drawing.
 *
 * @param installed The request's assets that exist.
 * @throws {ServiceError} `unsupported` naming a missing asset, `validation_error` for an undecodable picture.
 */
export async function readAssets(
  { loras, textualInversions = [], controlnets = [], vae = null, skipLayers }: ImageRequest,
  installed: readonly AssetDescriptor[],
  { size, signal }: { readonly size: PixelSize; readonly signal: AbortSignal },
): Promise<UsedAssets> {
  const fileOf = (kind: ImageAssetKind, name: string): string => {
    const found = installed.find((asset) => asset.kind === kind && asset.name === name)
    if (found !== undefined) return found.file
    throw new ServiceError('unsupported', `The ${kind} "${name}" is no longer installed; use an installed one.`, { param: params[kind] })
  }
  const shown: UsedControlnet[] = []
  for (const use of controlnets) {
    const picture = await decodePicture(use.image, size, { signal })
    const { scale, until } = use
    shown.push({
      file: fileOf('controlnet', use.name),
      picture: toPlanes(use.preprocess && takesEdges(use) ? findEdges(picture) : picture),
      scale,
      until,
    })
  }
  return {
    loras: loras.map(({ name, ...weights }) => ({ file: fileOf('lora', name), ...weights })),
    textualInversions: textualInversions.map(({ name, trigger }) => ({ file: fileOf('textual-inversion', name), trigger })),
    controlnets: shown,
    vae: vae === null ? null : fileOf('vae', vae),
    ...(skipLayers && { skippedLayers: skipLayers.layers }),
  }
}

const params = { lora: 'loras', 'textual-inversion': 'textual_inversions', vae: 'vae', controlnet: 'controlnet' } as const
