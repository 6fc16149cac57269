import { computed, type ReadonlySignal } from '@preact/signals'
import { readStored, storedSignal } from '../../../state/stored.ts'

const none = { texts: {} as Readonly<Record<string, string>> }

/** What was written and not sent, by where it stands: a conversation's id, or `new` for none yet; an edited message; a function's result. */
const drafts = storedSignal('drafts', none)

/** What was written in this tab. Of the rest, other tabs may have written or sent something since. */
const ours = new Map<string, string>()

/** Each place's own, so that a letter typed in one place redraws nothing in another. */
const byPlace = new Map<string, ReadonlySignal<string | undefined>>()

/** What stands there; undefined = nothing was begun. */
export function draftOf(place: string): string | undefined {
  const known = byPlace.get(place) ?? computed(() => drafts.value.texts[place])
  byPlace.set(place, known)
  return known.value
}

/** Keeps what stands there now, and what other tabs have written elsewhere; null = it was sent, or left. */
export function keepDraft(place: string, text: string | null): void {
  keepDrafts({ [place]: text })
}

/** The same of several places at once. */
export function keepDrafts(texts: Readonly<Record<string, string | null>>): void {
  for (const [place, text] of Object.entries(texts)) {
    if (text === null) ours.delete(place)
    else ours.set(place, text)
  }
  const kept = Object.entries(readStored('drafts', none).texts).filter(([place]) => !(place in texts))
  drafts.value = { texts: { ...Object.fromEntries(kept), ...Object.fromEntries(ours) } }
}

/** Whether something stands there by now, whichever tab has written it. */
export function isStored(place: string): boolean {
  return readStored('drafts', none).texts[place] !== undefined
}
