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

/** Whether what stands in the box is sent as soon as it is known which models there are. */
export const waitsForModels = signal(false)

/** Says something in the conversation that is shown. */
export function say(content: string, attached: Attachments = noAttachments): void {
  current.value.say(content, attached)
  settleAddress()
}

/** Begins a conversation, once it is known which models there are. */
export function begin(content: string): void {
  if (chatSettings.value.model === '') {
    keepDraft('new', content)
    waitsForModels.value = true
  } else say(content)
}

/** Why nothing can be asked for with these settings, as a sentence, or null. */
export function settingsFault(): string | null {
  const fault = readSchema(chatSettings.value).fault ?? readTools(chatSettings.value.tools).fault
  return fault && t`${fault} See Functions and JSON in the settings.`
}

/** What is said in the conversation that is shown once its answer has ended. */
export interface QueuedMessage extends Attachments {
  readonly content: string
}

/** The message that waits for the end of the answer; null = none does. */
export function queuedMessage(): QueuedMessage | null {
  const { queued } = places()
  const content = draftOf(queued)
  // Another tab of this browser may have sent it.
  if (content === undefined || (!isOfThisTab() && !isStored(queued))) return null
  return { content, ...attachedTo(queued) }
}

/** Lets a message wait for the end of the answer that is being written. */
export function queueMessage({ content, ...attached }: QueuedMessage): void {
  const { queued, tab } = places()
  keepDrafts({ [tab]: tabId(), [queued]: content })
  keepAttached(queued, attached)
}

/** Puts the message that waits back into the box, before what stands there. */
export function takeBackQueued(): void {
  const { id } = current.value
  const { content, ...attached } = withMore(queuedMessage(), { content: draftOf(id) ?? '', ...attachedTo(id) })
  forgetQueued({ [id]: content })
  keepAttached(id, attached)
}

/** Takes the message that waits away, and puts texts in other places at once: what is kept is read again only after an effect. */
export function forgetQueued(others: Readonly<Record<string, string>> = {}): void {
  const { queued, tab } = places()
  keepDrafts({ [queued]: null, [tab]: null, ...others })
  keepAttached(queued, noAttachments)
}

/** A message that goes on with what another one says and carries. */
export function withMore(first: QueuedMessage | null, more: QueuedMessage): QueuedMessage {
  const content = [first?.content ?? '', more.content].filter((text) => text !== '').join('\n\n')
  return { content, files: [...(first?.files ?? []), ...more.files], pictures: [...(first?.pictures ?? []), ...more.pictures] }
}

/** Where the message that waits is kept, and which tab sends it. */
function places(): { readonly queued: string; readonly tab: string } {
  const { id } = current.value
  return { queued: `queued ${id}`, tab: `queuer ${id}` }
}

function isOfThisTab(): boolean {
  return draftOf(places().tab) === tabId()
}

// What waits is sent when the answer is there; where it was stopped or failed, its person decides.
effect(() => {
  const { writing, comparing, turns } = current.value
  const last = turns.value.at(-1)
  const queued = queuedMessage()
  if (queued === null || last === undefined || writing.value || comparing.value.length > 0 || !isOfThisTab()) return
  untracked(() => {
    if (settingsFault() !== null || last.state === 'stopped' || last.state === 'failed') return takeBackQueued()
    forgetQueued()
    current.value.say(queued.content, queued)
  })
})
