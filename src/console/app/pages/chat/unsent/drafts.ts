import { computed, type ReadonlySignal } from '@preact/signals'
import { readStored, storedSignal } from '../../../state/stored.ts'

const none = { texts: {} as Readonly<Record<string, string>> }

/** Unsent texts by place: a conversation's id, or `new` for none yet; an edited message; a function's result. */
const drafts = storedSignal('drafts', none)

/** Texts written in this tab. Other tabs may have written or sent the others since. */
const ours = new Map<string, string>()

/** One signal per place, so that typing in one does not redraw the others. */
const byPlace = new Map<string, ReadonlySignal<string | undefined>>()

/** The draft of a place; undefined = none. */
export function draftOf(place: string): string | undefined {
  const known = byPlace.get(place) ?? computed(() => drafts.value.texts[place])
  byPlace.set(place, known)
  return known.value
}

/** Stores the draft of a place, together with other tabs' drafts of other places; null = sent or discarded. */
export function keepDraft(place: string, text: string | null): void {
  keepDrafts({ [place]: text })
}

/** The same for several places at once. */
export function keepDrafts(texts: Readonly<Record<string, string | null>>): void {
  for (const [place, text] of Object.entries(texts)) {
    if (text === null) ours.delete(place)
    else ours.set(place, text)
  }
  const kept = Object.entries(readStored('drafts', none).texts).filter(([place]) => !(place in texts))
  drafts.value = { texts: { ...Object.fromEntries(kept), ...Object.fromEntries(ours) } }
}

/** Whether a place has a draft in storage, from any tab. */
export function isStored(place: string): boolean {
  return readStored('drafts', none).texts[place] !== undefined
}
