import { signal } from '@preact/signals'
import { chatSettings } from './chat-settings.ts'
import { type Attachments, noAttachments } from './conversation.ts'
import { current, settleAddress } from './conversations.ts'
import { keepDraft } from './unsent/drafts.ts'

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
