import type { CheckpointFamily } from '../checkpoint/checkpoint-family.ts'
import type { UploadKind } from './uploaded-asset.ts'

/** Values of `engine` for assets; the last eight are additions of Sepia. */
export const assetEngines = {
  'image/stable-diffusion-xl-v1-0': { family: 'sdxl', controlnet: false },
  'image/stable-diffusion-v1-5': { family: 'sd15', controlnet: false },
  'image/controlnet-sdxl': { family: 'sdxl', controlnet: true },
  'image/controlnet-sd15': { family: 'sd15', controlnet: true },
  'image/stable-diffusion-v2-1': { family: 'sd2', controlnet: false },
  'image/stable-diffusion-xl-refiner-v1-0': { family: 'sdxl-refiner', controlnet: false },
  'image/controlnet-sd21': { family: 'sd2', controlnet: true },
  'image/flux-1-dev': { family: 'flux-dev', controlnet: false },
  'image/flux-1-schnell': { family: 'flux-schnell', controlnet: false },
  'image/flux-2-klein': { family: 'flux2-klein', controlnet: false },
  'image/z-image': { family: 'z-image', controlnet: false },
  'image/stable-diffusion-v3': { family: 'sd3', controlnet: false },
} as const satisfies Readonly<Record<string, { readonly family: CheckpointFamily; readonly controlnet: boolean }>>

/** The value of `engine` for an asset of a kind and family. */
export function engineOf({ kind, family }: { readonly kind: UploadKind; readonly family: CheckpointFamily }): string {
  const found = Object.entries(assetEngines).find(([, of]) => of.family === family && of.controlnet === (kind === 'controlnet'))
  return found?.[0] ?? 'image/unknown'
}
