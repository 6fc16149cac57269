import { effect, signal, untracked } from '@preact/signals'
import type { ConversationHead, Turn } from '../../../../core/chat/conversation.ts'
import type { ConversationPage, OpenedConversation } from '../../../contract/conversations.ts'
import { makeId } from '../../browser/make-id.ts'
import { request, send } from '../../interface/request.ts'
import { navigate, path } from '../../state/router.ts'
import { isSignedOut, loadSession } from '../../state/session.ts'
import { Conversation } from './conversation.ts'
import type { ImportedConversation } from './import-conversation.ts'
import { beginWithStandard, settingsNow, showSettings } from './presets/presets.ts'
import { draftOf, keepDraft } from './unsent/drafts.ts'
import { sendUnsent, unsentTurns } from './unsent/unsent-changes.ts'

const base = '/console/api/conversations'

/** The shown conversation. Answers in others continue. */
export const current = signal(new Conversation())
/** Conversations opened by this page, whose answers may still be in progress. */
const opened = new Map<string, Conversation>()
/** Earlier pages' unsent changes are sent first, so that the shown state includes them. */
const caughtUp = sendUnsent()
/** Counts changes of the list other than messages. */
export const listChanges = signal(0)

// Settings and conversation stay in step: a change of either is applied to the other.
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

/** Begins a new conversation, with the default preset if there is one. The other one stays stored. */
export function beginConversation(): void {
  current.value = new Conversation()
  beginWithStandard()
  navigate('/console/chat')
}

/** Gives the conversation an address when it has its first message. */
export function settleAddress(): void {
  const { id } = current.value
  opened.set(id, current.value)
  navigate(`/console/chat/${id}`, { replace: true })
}

/**
 * Shows a conversation.
 *
 * @throws {RequestFailure} when it does not exist.
 */
export async function openConversation(id: string, signal: AbortSignal): Promise<void> {
  if (current.value.id === id) return
  const known = opened.get(id)
  if (known !== undefined) current.value = known
  else {
    await caughtUp
    const kept = await request<OpenedConversation>(`${base}/${id}`, { signal })
    const unsent = await unsentTurns(`${base}/${id}`)
    const own = unsent.filter((turn) =>
      isNewer(
        turn,
        kept.turns.find(({ id }) => id === turn.id),
      ),
    )
    const turns = [...kept.turns.filter((turn) => !own.some((each) => each.id === turn.id)), ...own]
    const found = new Conversation({ ...kept, turns: turns.toSorted((one, other) => one.at - other.at) })
    for (const turn of own) found.keeper.turnChanged(turn.id)
    opened.set(id, found)
    current.value = found
  }
}

/** Whether an unsent message has something that the stored one has not: what a request wrote is more recent there. */
function isNewer({ state, inference = '', calls = [] }: Turn, stored: Turn | undefined): boolean {
  if (stored === undefined) return true
  if (state === 'writing') return false
  const { inference: writer } = stored
  return writer === undefined || inference > writer || (inference === writer && calls.some(({ result }) => result !== undefined))
}

/** Updates the shown conversation with changes by other pages and the service. */
export async function refreshConversation(): Promise<void> {
  if (current.peek().turns.peek().length === 0) return
  await current
    .peek()
    .refresh()
    .catch(async (failure: unknown) => {
      if (isSignedOut(failure)) await loadSession()
    })
}

/** One page of the conversations, or of a search's results. */
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

/**
 * Changes a conversation's title, or pins it.
 *
 * @throws {RequestFailure} when it was deleted elsewhere.
 */
export async function changeHead(id: string, change: Partial<Pick<ConversationHead, 'title' | 'pinned'>>): Promise<void> {
  await changeList(async () => {
    const known = opened.get(id)
    if (change.title !== undefined) known?.rename(change.title)
    if (change.pinned !== undefined) known?.pin(change.pinned)
    await known?.keeper.settled()
    // The keeper gives up silently when the conversation was deleted elsewhere; this request fails.
    if (known === undefined || known.keeper.isGone.peek()) await send(`${base}/${id}`, { method: 'PUT', body: change })
  })
}

/**
 * Archives a conversation, or restores it.
 *
 * @returns a function that undoes it.
 */
export async function archiveConversation(id: string, archived: boolean): Promise<() => Promise<void>> {
  const set = (value: boolean) => changeList(() => send(`${base}/${id}/archived`, { method: 'PUT', body: { archived: value } }))
  await opened.get(id)?.keeper.settled()
  await set(archived)
  return () => set(!archived)
}

/** Makes a change, and lists the conversations again, also after a failure: it may be because one was deleted elsewhere. */
async function changeList(change: () => Promise<unknown>): Promise<void> {
  try {
    await change()
  } finally {
    listChanges.value++
  }
}

/** Stores an exported conversation as a new one, and shows it. */
export function importConversation({ title, turns }: ImportedConversation): void {
  const made = new Conversation({ id: makeId(), title, pinned: false, leaf: turns.at(-1)?.id ?? null, turns })
  made.keepWhole()
  current.value = made
  settleAddress()
  listChanges.value++
}

/** Stores the shown conversation, which was deleted elsewhere, as a new one. */
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

/**
 * Deletes a conversation.
 *
 * @returns a function that restores it.
 */
export async function removeConversation(id: string): Promise<() => Promise<void>> {
  const isShown = current.value.id === id
  await changeList(async () => {
    const known = opened.get(id)
    known?.stop()
    await known?.keeper.settled()
    await send(`${base}/${id}`, { method: 'DELETE' })
    known?.keeper.stop()
    opened.delete(id)
    if (current.value.id === id) beginConversation()
  })
  return async () => {
    await changeList(() => send(`${base}/${id}/restore`, { method: 'POST' }))
    // Not if the user has begun another conversation, or gone to another page.
    if (isShown && path.value === '/console/chat') navigate(`/console/chat/${id}`)
  }
}
