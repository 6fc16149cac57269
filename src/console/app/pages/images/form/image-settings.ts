import type { LoraUse } from '../../../../../core/images/lora.ts'
import type { ImageModelDescriptor } from '../../../../../core/model.ts'
import type { Sampler } from '../../../../../core/sampler.ts'
import { storedSignal } from '../../../state/stored.ts'

export type Encoding = 'jpeg' | 'png' | 'webp'

/** A textual inversion and the word that it replaces in the prompt. */
export interface ChosenInversion {
  readonly name: string
  readonly word: string
}

/** The settings of the form. */
export interface ImageSettings {
  readonly model: string
  readonly prompt: string
  readonly negativePrompt: string
  /** For the second text encoder; empty = the first prompt. */
  readonly prompt2: string
  readonly negativePrompt2: string
  readonly width: number
  readonly height: number
  readonly steps: number
  readonly guidanceScale: number
  /** How far the contrast of strong guidance is reduced, 0 to 1. */
  readonly guidanceRescale: number
  readonly sampler: Sampler
  /** Empty = random. */
  readonly seed: string
  readonly count: number
  /** Empty = none. */
  readonly style: string
  readonly encoding: Encoding
  /** How much of the starting image is changed. */
  readonly strength: number
  /** Pixels over which the mask's edge is softened. */
  readonly feather: number
  /** Whether the masked region is drawn at full size. */
  readonly fullResolution: boolean
  /** Pixels around that region that are included. */
  readonly padding: number
  /** Last layers of the text encoders to skip; 0 = the model's default. */
  readonly clipSkip: number
  readonly refine: boolean
  /** Share of the steps before the refiner. */
  readonly refinerStart: number
  /** Empty = the model's own. */
  readonly vae: string
  readonly loras: readonly LoraUse[]
  readonly inversions: readonly ChosenInversion[]
  /** Whether there is a second pass that enlarges the picture. */
  readonly twice: boolean
  /** Factor of the enlargement. */
  readonly enlargement: number
  /** The upscaler; empty = latents are enlarged. */
  readonly upscaler: string
  /** Steps of the second pass; 0 = the same number. */
  readonly secondSteps: number
  /** How much the second pass may change. */
  readonly secondStrength: number
  /** Whether the service may log the prompt. */
  readonly logPrompt: boolean
}

export const defaultImageSettings: ImageSettings = {
  model: '',
  prompt: '',
  negativePrompt: '',
  prompt2: '',
  negativePrompt2: '',
  width: 0,
  height: 0,
  steps: 0,
  guidanceScale: 0,
  guidanceRescale: 0,
  sampler: 'DDIM',
  seed: '',
  count: 1,
  style: '',
  encoding: 'png',
  strength: 0.8,
  feather: 0,
  fullResolution: false,
  padding: 32,
  clipSkip: 0,
  refine: true,
  refinerStart: 0.8,
  vae: '',
  loras: [],
  inversions: [],
  twice: false,
  enlargement: 2,
  upscaler: '',
  secondSteps: 0,
  secondStrength: 0.7,
  logPrompt: false,
}

/** This browser's settings, stored between visits. */
export const imageSettings = storedSignal('image', defaultImageSettings)

/** Changes some settings and keeps the others. */
export function changeImageSettings(change: Partial<ImageSettings>): void {
  imageSettings.value = { ...imageSettings.value, ...change }
}

/** Chooses a model and applies its defaults. */
export function chooseImageModel(model: Pick<ImageModelDescriptor, 'id' | 'native' | 'defaults'>): void {
  changeImageSettings({ model: model.id, ...model.native, ...model.defaults, clipSkip: 0 })
}
