import type { ImageModelDescriptor } from '../../../../core/model.ts'
import type { Sampler } from '../../../../core/sampler.ts'
import { storedSignal } from '../../state/stored.ts'

export type Encoding = 'jpeg' | 'png' | 'webp'

/** What the form beside the board sets. */
export interface ImageSettings {
  readonly model: string
  readonly prompt: string
  readonly negativePrompt: string
  readonly width: number
  readonly height: number
  readonly steps: number
  readonly guidanceScale: number
  readonly sampler: Sampler
  /** Empty = at random. */
  readonly seed: string
  readonly count: number
  /** Empty = none. */
  readonly style: string
  readonly encoding: Encoding
  /** How much of the starting image to change. */
  readonly strength: number
}

/** The settings of this browser, kept between visits. */
export const imageSettings = storedSignal<ImageSettings>('image', {
  model: '',
  prompt: '',
  negativePrompt: '',
  width: 0,
  height: 0,
  steps: 0,
  guidanceScale: 0,
  sampler: 'DDIM',
  seed: '',
  count: 1,
  style: '',
  encoding: 'png',
  strength: 0.8,
})

/** Changes some settings and keeps the others. */
export function changeImageSettings(change: Partial<ImageSettings>): void {
  imageSettings.value = { ...imageSettings.value, ...change }
}

/** Takes a model with the defaults it comes with. */
export function chooseImageModel(model: Pick<ImageModelDescriptor, 'id' | 'native' | 'defaults'>): void {
  changeImageSettings({ model: model.id, ...model.native, ...model.defaults })
}
