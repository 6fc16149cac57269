import { storedSignal } from '../../../state/stored.ts'

/** What was written and not sent, by where it stands: a conversation's id, or `new` for none yet; an edited message; a function's result. */
const drafts = storedSignal<{ readonly texts: Readonly<Record<string, string>> }>('drafts', { texts: {} })

/** What stands there; undefined = nothing was begun. */
export function draftOf(place: string): string | undefined {
  return drafts.value.texts[place]
}

/** Keeps what stands there now; null = it was sent, or left. */
export function keepDraft(place: string, text: string | null): void {
  const { [place]: _, ...others } = drafts.peek().texts
  drafts.value = { texts: text === null ? others : { ...others, [place]: text } }
}
