import { signal } from '@preact/signals'
import { controlnetRanges, isWithin } from './image-ranges.ts'

/** A ControlNet with the picture it is shown. */
export interface ChosenControlnet {
  readonly key: number
  readonly name: string
  /** Its picture as a `data:` URL; null = not chosen yet. */
  readonly url: string | null
  /** How strongly it counts. */
  readonly scale: number
  /** Share of the steps after which it says no more. */
  readonly until: number
  /** Whether edges are found for one that was made for them. */
  readonly preprocess: boolean
}

/** The ControlNets of the next drawing; their pictures are too large to be kept between visits. */
export const controlnets = signal<readonly ChosenControlnet[]>([])

let nextKey = 1

/** Adds one, with the interface's own defaults. */
export function addControlnet(name: string): void {
  controlnets.value = [...controlnets.value, { key: nextKey++, name, url: null, scale: 1, until: 1, preprocess: true }]
}

/** Changes some of one and keeps the rest. */
export function changeControlnet(key: number, change: Partial<Omit<ChosenControlnet, 'key'>>): void {
  controlnets.value = controlnets.value.map((each) => (each.key === key ? { ...each, ...change } : each))
}

/** Leaves one out of the next drawing. */
export function removeControlnet(key: number): void {
  controlnets.value = controlnets.value.filter((each) => each.key !== key)
}

/** Whether each has its picture, and numbers that the service takes. */
export function areControlnetsReady(): boolean {
  const { scale, until } = controlnetRanges
  return controlnets.value.every((each) => each.url !== null && isWithin(each.scale, scale) && isWithin(each.until, until))
}
