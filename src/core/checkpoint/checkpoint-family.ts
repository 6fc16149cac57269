/** Families that predict noise with a UNet. */
const unetFamilies = ['sdxl', 'sdxl-refiner', 'sd15', 'sd2'] as const
export type UnetFamily = (typeof unetFamilies)[number]

/** Families that predict velocities with a transformer. */
const transformerFamilies = ['flux-dev', 'flux-schnell', 'flux2-klein', 'z-image', 'sd3'] as const
export type TransformerFamily = (typeof transformerFamilies)[number]

/** Model families: models of a family share architecture, sizes and defaults. */
export const checkpointFamilies = [...unetFamilies, ...transformerFamilies] as const
export type CheckpointFamily = UnetFamily | TransformerFamily

/** Names of families in messages. */
export const familyNames: Readonly<Record<CheckpointFamily, string>> = {
  sdxl: 'SDXL',
  'sdxl-refiner': 'the SDXL refiner',
  sd15: 'Stable Diffusion 1.5',
  sd2: 'Stable Diffusion 2',
  'flux-dev': 'FLUX.1 dev',
  'flux-schnell': 'FLUX.1 schnell',
  'flux2-klein': 'FLUX.2 klein',
  'z-image': 'Z-Image',
  sd3: 'Stable Diffusion 3',
}

/** Whether a family predicts with a transformer. */
export function isTransformerFamily(family: CheckpointFamily): family is TransformerFamily {
  return transformerFamilies.some((known) => known === family)
}

/** Prediction type of a UNet. */
export type Prediction = 'epsilon' | 'v_prediction'
