import type { AssetDescriptor, AssetKind } from '../../core/assets/asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { ImageRequest } from '../../core/image-generation.ts'
import { takesEdges } from '../../core/images/controlnet.ts'
import { decodePicture } from './pictures/decode-image.ts'
import { findEdges } from './pictures/find-edges.ts'
import { type PixelSize, toPlanes } from './pictures/rgb-image.ts'
import type { UsedAssets, UsedControlnet } from './used-assets.ts'

/**
 * The files that a request uses, and its control pictures at the size of the drawing.
 *
 * @param installed The assets that the request names, as far as they are there.
 * @throws {ServiceError} `unsupported` naming an asset that is not there, `validation_error` for a picture that does not decode.
 */
export async function readAssets(
  { loras, textualInversions = [], controlnets = [], vae = null, skipLayers }: ImageRequest,
  installed: readonly AssetDescriptor[],
  { size, signal }: { readonly size: PixelSize; readonly signal: AbortSignal },
): Promise<UsedAssets> {
  const fileOf = (kind: AssetKind, name: string): string => {
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
