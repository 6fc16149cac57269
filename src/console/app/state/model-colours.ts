import { storedSignal } from './stored.ts'

/** The number of model colours in the style sheets. */
export const colourCount = 8

const taken = storedSignal('colours', { slots: {} as Readonly<Record<string, number>> })

/** A model's colour: the same on every page, in every chart and at every visit. No two models share one while there are enough. */
export function colourOf(model: string): number {
  const { slots } = taken.peek()
  const known = Object.hasOwn(slots, model) ? slots[model] : undefined
  if (known !== undefined) return known
  const used = new Set(Object.values(slots))
  const wanted = hashOf(model) % colourCount
  const order = Array.from({ length: colourCount }, (_, index) => (wanted + index) % colourCount)
  const slot = order.find((each) => !used.has(each)) ?? wanted
  taken.value = { slots: { ...slots, [model]: slot } }
  return slot
}

/** The same in every browser, so that most models have the same colour everywhere. */
function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7)
}
