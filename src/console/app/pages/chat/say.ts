import { effect, signal, untracked } from '@preact/signals'
import { tabId } from '../../browser/browser-storage.ts'
import { t } from '../../language/t.ts'
import { type Attachments, noAttachments } from './attach/attachments.ts'
import { chatSettings } from './chat-settings.ts'
import { current, settleAddress } from './conversations.ts'
import { readSchema } from './structure/read-schema.ts'
import { readTools } from './structure/read-tools.ts'
import { attachedTo, keepAttached } from './unsent/attached.ts'
import { draftOf, isStored, keepDraft, keepDrafts } from './unsent/drafts.ts'

/** Whether the text in the field is sent as soon as the models are known. */
export const waitsForModels = signal(false)

/** Adds a message to the shown conversation. */
export function say(content: string, attached: Attachments = noAttachments): void {
  current.value.say(content, attached)
  settleAddress()
}

/** Begins a conversation as soon as the models are known. */
export function begin(content: string): void {
  if (chatSettings.value.model === '') {
    keepDraft('new', content)
    waitsForModels.value = true
  } else say(content)
}

/** Why no answer can be requested with these settings, as a sentence, or null. */
export function settingsFault(): string | null {
  const fault = readSchema(chatSettings.value).fault ?? readTools(chatSettings.value.tools).fault
  return fault && t`${fault} See Functions and JSON in the settings.`
}

/** A message that is sent when the current answer has ended. */
export interface QueuedMessage extends Attachments {
  readonly content: string
}

/** The queued message; null = none. */
export function queuedMessage(): QueuedMessage | null {
  const { queued } = places()
  const content = draftOf(queued)
  // Another tab of this browser may have sent it.
  if (content === undefined || (!isOfThisTab() && !isStored(queued))) return null
  return { content, ...attachedTo(queued) }
}

/** Queues a message until the current answer has ended. */
export function queueMessage({ content, ...attached }: QueuedMessage): void {
  const { queued, tab } = places()
  keepDrafts({ [tab]: tabId(), [queued]: content })
  keepAttached(queued, attached)
}

/** Moves the queued message back into the field, before its text. */
export function takeBackQueued(): void {
  const { id } = current.value
  const { content, ...attached } = withMore(queuedMessage(), { content: draftOf(id) ?? '', ...attachedTo(id) })
  forgetQueued({ [id]: content })
  keepAttached(id, attached)
}

/** Removes the queued message and stores other texts in the same step, because stored texts are read again only after an effect. */
export function forgetQueued(others: Readonly<Record<string, string>> = {}): void {
  const { queued, tab } = places()
  keepDrafts({ [queued]: null, [tab]: null, ...others })
  keepAttached(queued, noAttachments)
}

/** Joins two messages with their attachments. */
export function withMore(first: QueuedMessage | null, more: QueuedMessage): QueuedMessage {
  const content = [first?.content ?? '', more.content].filter((text) => text !== '').join('\n\n')
  return { content, files: [...(first?.files ?? []), ...more.files], pictures: [...(first?.pictures ?? []), ...more.pictures] }
}

/** The storage keys of the queued message, and of the tab that sends it. */
function places(): { readonly queued: string; readonly tab: string } {
  const { id } = current.value
  return { queued: `queued ${id}`, tab: `queuer ${id}` }
}

function isOfThisTab(): boolean {
  return draftOf(places().tab) === tabId()
}

// The queued message is sent when the answer is done. After a stop or a failure, the user decides.
effect(() => {
  const { writing, compared, turns } = current.value
  const last = turns.value.at(-1)
  const queued = queuedMessage()
  if (queued === null || last === undefined || writing.value || compared.value.length > 0 || !isOfThisTab()) return
  untracked(() => {
    if (settingsFault() !== null || last.state === 'stopped' || last.state === 'failed') return takeBackQueued()
    forgetQueued()
    current.value.say(queued.content, queued)
  })
})
