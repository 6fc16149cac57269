import { signal } from '@preact/signals'
import { controlnetRanges, isWithin } from './image-ranges.ts'

/** A ControlNet and its picture. */
export interface ChosenControlnet {
  readonly key: number
  readonly name: string
  /** Its picture as a `data:` URL; null = not chosen yet. */
  readonly url: string | null
  /** Its strength. */
  readonly scale: number
  /** Share of the steps after which it ends. */
  readonly until: number
  /** Whether edges are found in the picture, for a ControlNet trained on edges. */
  readonly preprocess: boolean
}

/** The ControlNets of the next drawing. Their pictures are too large to be stored between visits. */
export const controlnets = signal<readonly ChosenControlnet[]>([])

let nextKey = 1

/** Adds one with the interface's defaults. */
export function addControlnet(name: string): void {
  controlnets.value = [...controlnets.value, { key: nextKey++, name, url: null, scale: 1, until: 1, preprocess: true }]
}

/** Changes some of its fields. */
export function changeControlnet(key: number, change: Partial<Omit<ChosenControlnet, 'key'>>): void {
  controlnets.value = controlnets.value.map((each) => (each.key === key ? { ...each, ...change } : each))
}

/** Removes one. */
export function removeControlnet(key: number): void {
  controlnets.value = controlnets.value.filter((each) => each.key !== key)
}

/** Whether each has a picture and valid numbers. */
export function areControlnetsReady(): boolean {
  const { scale, until } = controlnetRanges
  return controlnets.value.every((each) => each.url !== null && isWithin(each.scale, scale) && isWithin(each.until, until))
}
