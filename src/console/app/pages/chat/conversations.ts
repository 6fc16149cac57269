import { effect, signal, untracked } from '@preact/signals'
import type { ListedConversation } from '../../../../core/chat/conversation.ts'
import type { ConversationPage, OpenedConversation } from '../../../contract/conversations.ts'
import { makeId } from '../../browser/make-id.ts'
import { request, send } from '../../interface/request.ts'
import { navigate } from '../../state/router.ts'
import { isSignedOut, loadSession } from '../../state/session.ts'
import { Conversation } from './conversation.ts'
import type { ImportedConversation } from './import-conversation.ts'
import { beginWithStandard, settingsNow, showSettings } from './presets/presets.ts'
import { draftOf, keepDraft } from './unsent/drafts.ts'
import { sendUnsent, unsentTurns } from './unsent/unsent-changes.ts'

const base = '/console/api/conversations'

/** The conversation on the page; answers go on being written while another one is shown. */
export const current = signal(new Conversation())
/** Those that this page has opened, whose answers may still be under way. */
const opened = new Map<string, Conversation>()
/** What an earlier page could not send goes first, so that what is shown has it. */
const caughtUp = sendUnsent()
/** Counts what changes the list beside what is said. */
export const listChanges = signal(0)

// What is set beside a conversation is kept with it, and what is kept with it is set beside it.
effect(() => {
  const kept = current.value.settings.value
  if (kept !== null) untracked(() => showSettings(kept))
})
effect(() => {
  const now = settingsNow()
  untracked(() => {
    if (current.value.turns.value.length > 0) current.value.keepSettings(now)
  })
})

/** Begins a new conversation, with the default preset where there is one; the other conversation is kept. */
export function beginConversation(): void {
  current.value = new Conversation()
  beginWithStandard()
  navigate('/console/chat')
}

/** Gives the conversation an address of its own once something is said in it. */
export function settleAddress(): void {
  const { id } = current.value
  opened.set(id, current.value)
  navigate(`/console/chat/${id}`, { replace: true })
}

/** Shows a conversation. @throws {RequestFailure} when it is not there. */
export async function openConversation(id: string, signal: AbortSignal): Promise<void> {
  if (current.value.id === id) return
  const known = opened.get(id)
  if (known !== undefined) current.value = known
  else {
    await caughtUp
    const kept = await request<OpenedConversation>(`${base}/${id}`, { signal })
    const unsent = await unsentTurns(`${base}/${id}`)
    // An answer that the service knows of is further there.
    const own = unsent.filter((turn) => turn.state !== 'writing' || !kept.turns.some((each) => each.id === turn.id))
    const turns = [...kept.turns.filter((turn) => !own.some((each) => each.id === turn.id)), ...own]
    const found = new Conversation({ ...kept, turns: turns.toSorted((one, other) => one.at - other.at) })
    for (const turn of own) found.keeper.turnChanged(turn.id)
    opened.set(id, found)
    current.value = found
  }
}

/** Brings the conversation that is shown up to what other pages, and the service, have made of it. */
export async function refreshConversation(): Promise<void> {
  const { turns, keeper } = current.peek()
  if (turns.peek().length === 0 || keeper.isGone.peek()) return
  await current
    .peek()
    .refresh()
    .catch(async (failure: unknown) => {
      if (isSignedOut(failure)) await loadSession()
    })
}

/** One page of what is kept, or what a search finds. */
export async function loadConversations(
  query: { readonly search: string; readonly archived: boolean; readonly after: string | null },
  signal: AbortSignal,
): Promise<ConversationPage> {
  await caughtUp
  const { search, archived, after } = query
  const parameters = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(archived && { archived: 'true' }),
    ...(after !== null && { after }),
  })
  return request<ConversationPage>(`${base}?${parameters}`, { signal })
}

/** Changes what a conversation is called, or whether it stands above the others. */
export async function changeHead({ id, title, pinned, leaf }: ListedConversation): Promise<void> {
  const known = opened.get(id)
  if (known === undefined) await send(`${base}/${id}`, { method: 'PUT', body: { title, pinned, leaf } })
  else {
    known.rename(title)
    known.pin(pinned)
    await known.keeper.settled()
  }
  listChanges.value++
}

/** Puts a conversation away, or back into the list. @returns the way back. */
export async function archiveConversation(id: string, archived: boolean): Promise<() => Promise<void>> {
  const set = async (value: boolean) => {
    await send(`${base}/${id}/archived`, { method: 'PUT', body: { archived: value } })
    listChanges.value++
  }
  await opened.get(id)?.keeper.settled()
  await set(archived)
  return () => set(!archived)
}

/** Keeps what an export holds as a new conversation, and shows it. */
export function importConversation({ title, turns }: ImportedConversation): void {
  const made = new Conversation({ id: makeId(), title, pinned: false, leaf: turns.at(-1)?.id ?? null, turns })
  made.keeper.headChanged()
  for (const { id } of turns) made.keeper.turnChanged(id)
  current.value = made
  settleAddress()
  listChanges.value++
}

/** Keeps the conversation that is shown, and was deleted elsewhere, as a new one. */
export function keepAsNew(): void {
  const { id: gone } = current.value
  const made = current.value.copy()
  keepDraft(made.id, draftOf(gone) ?? null)
  keepDraft(gone, null)
  opened.delete(gone)
  current.value = made
  settleAddress()
  listChanges.value++
}

/** Deletes a conversation. @returns the way back. */
export async function removeConversation(id: string): Promise<() => Promise<void>> {
  const known = opened.get(id)
  known?.stop()
  await known?.keeper.settled()
  await send(`${base}/${id}`, { method: 'DELETE' })
  known?.keeper.stop()
  opened.delete(id)
  if (current.value.id === id) beginConversation()
  listChanges.value++
  return async () => {
    await send(`${base}/${id}/restore`, { method: 'POST' })
    listChanges.value++
  }
}
