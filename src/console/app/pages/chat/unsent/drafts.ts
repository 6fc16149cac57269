import { readStored, storedSignal } from '../../../state/stored.ts'

const none = { texts: {} as Readonly<Record<string, string>> }

/** What was written and not sent, by where it stands: a conversation's id, or `new` for none yet; an edited message; a function's result. */
const drafts = storedSignal('drafts', none)

/** What was written in this tab. Of the rest, other tabs may have written or sent something since. */
const ours = new Map<string, string>()

/** What stands there; undefined = nothing was begun. */
export function draftOf(place: string): string | undefined {
  return drafts.value.texts[place]
}

/** Keeps what stands there now, and what other tabs have written elsewhere; null = it was sent, or left. */
export function keepDraft(place: string, text: string | null): void {
  if (text === null) ours.delete(place)
  else ours.set(place, text)
  const { [place]: _, ...kept } = readStored('drafts', none).texts
  drafts.value = { texts: { ...kept, ...Object.fromEntries(ours) } }
}
