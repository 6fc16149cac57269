import type { PixelPlanes } from './vae/vae-decoder.ts'

/** A ControlNet and what it is shown. */
export interface UsedControlnet {
  /** Absolute path. */
  readonly file: string
  /** Red, green and blue from −1 to 1, at the size of the drawing. */
  readonly picture: PixelPlanes
  /** How strongly it counts; 1 = as it was trained. */
  readonly scale: number
  /** Share of the drawing after which it says no more; 1 = never. */
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
