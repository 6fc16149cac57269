import { useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { isUnclaimedKey } from '../../browser/is-unclaimed-key.ts'
import { listText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { loadReader } from '../../parts/markdown/prose.tsx'
import { models } from '../../state/models.ts'
import { announce, showToast } from '../../state/toasts.ts'
import { AttachedRow } from './attach/attached-row.tsx'
import { type Attachments, attach, conversationBlindness, countFault, noAttachments, readFiles, unreadFiles } from './attach/attachments.ts'
import { sizeFault } from './attach/size-fault.ts'
import { chatSettings } from './chat-settings.ts'
import { chosenModels } from './compare/compared-models.ts'
import { ContextGauge } from './context/context-gauge.tsx'
import { beginConversation, current } from './conversations.ts'
import { lengthFault } from './length-fault.ts'
import { type QueuedMessage, queuedMessage, queueMessage, say, settingsFault, waitsForModels, withMore } from './say.ts'
import { attachedTo, keepAttached } from './unsent/attached.ts'
import { draftOf, keepDraft } from './unsent/drafts.ts'
import { QueuedRow } from './unsent/queued-row.tsx'

/** Longer pasted text is attached as a file, because a large text in the field delays every keystroke by seconds. */
const longestPasted = 50_000

/** Whether the next field gets the focus. */
let takesFocus = false

/** Begins a conversation, and puts the focus into its message field. */
export function beginWriting(): void {
  takesFocus = true
  beginConversation()
}

/**
 * The message field. Text typed while nothing else accepts it is written here.
 *
 * Enter sends, or queues while an answer is being written, Shift+Enter breaks the line, Escape stops the answer. Files and pictures are
 * chosen, pasted, or dropped anywhere on the page.
 */
export function Composer(): VNode {
  const picker = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const over = useSignal(false)
  const { writing } = current.value
  const name = draftKey()
  const draft = draftOf(name) ?? ''
  const attached = attachedTo(name)
  const hindrance = useComputed(sendFault)
  const notice = hindrance.value ?? waitingText() ?? connectionText() ?? comparisonText()
  const says = draft.trim() !== '' || attached.pictures.length > 0
  const reason = hindrance.value ?? (says ? undefined : t`Write a message first.`)
  const ready = reason === undefined
  const { model } = chatSettings.value
  const submit = () => {
    if (!ready) return
    waitsForModels.value = model === ''
    if (model === '') return
    const message = writtenMessage()
    keepDraft(name, null)
    keepAttached(name, noAttachments)
    if (writing.value) queueMessage(message)
    else say(message.content, attached)
  }
  useEffect(() => {
    if (waitsForModels.peek() && model !== '') submit()
  }, [model])
  useLayoutEffect(() => {
    if (takesFocus) box.current?.focus()
    takesFocus = false
  }, [])
  const take = async (files: readonly File[]) => {
    const place = draftKey()
    const read = await readFiles(files, chosenModels(chatSettings.peek().model))
    const { faults, ...now } = attach(attachedTo(place), read)
    keepAttached(place, now)
    if (faults.length > 0) showToast(faults.join(' '))
    if (faults.length < files.length) announce(t`Attached: ${listText([...now.pictures, ...now.files].map((each) => each.name))}`)
  }
  useEffect(() => {
    // Works wherever the focus is, except in an open dialog, which handles the key itself.
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) current.value.stop()
      // The browser enters the letter where the focus is by then.
      if (isUnclaimedKey(event)) box.current?.focus()
    }
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      // Otherwise a browser opens a file that is dropped outside the field.
      event.preventDefault()
      over.value = event.type === 'dragover'
      if (event.type === 'drop') void take([...event.dataTransfer.files])
    }
    const drags = ['dragover', 'dragleave', 'drop'] as const
    const onLeave = () => current.value.keeper.leave()
    window.addEventListener('pagehide', onLeave)
    document.addEventListener('keydown', onKey)
    for (const drag of drags) document.addEventListener(drag, onDrag)
    return () => {
      waitsForModels.value = false
      window.removeEventListener('pagehide', onLeave)
      document.removeEventListener('keydown', onKey)
      for (const drag of drags) document.removeEventListener(drag, onDrag)
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])]
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text.length > longestPasted) {
      event.preventDefault()
      void take([new File([text], t`Pasted text.txt`, { type: 'text/plain' })])
      return
    }
    // A picture beside a text, as from a word processor, shows that text.
    if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return
    event.preventDefault()
    void take(files)
  }
  return (
    <form
      class={over.value ? 'composer over' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <QueuedRow onEdit={() => box.current?.focus()} />
      <AttachedRow attached={attached} onChange={(next) => keepAttached(name, next)} />
      {notice === null ? null : (
        <p class="soft" role="status">
          {notice}
        </p>
      )}
      <div class="composer-sheet">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label={t`Files to attach`}
          onChange={({ currentTarget }) => {
            void take([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
        <Button tone="quiet" icon="plus" iconOnly onClick={() => picker.current?.click()}>{t`Attach files or images`}</Button>
        <textarea
          ref={box}
          aria-label={t`Your message`}
          placeholder={over.value ? t`Drop to attach` : t`Write a message…`}
          rows={1}
          value={draft}
          onInput={({ currentTarget: { value } }) => {
            keepDraft(name, value === '' ? null : value)
            loadReader()
            // Further typing means that the message is not finished.
            waitsForModels.value = false
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {writing.value ? (
          <span class="row">
            {says ? <Button icon="send" iconOnly disabled={!ready} reason={reason}>{t`Send when the answer is done`}</Button> : null}
            <Button icon="stop" iconOnly onClick={stopUnlessSent}>{t`Stop`}</Button>
          </span>
        ) : (
          <Button tone="primary" icon="send" iconOnly disabled={!ready} reason={reason}>{t`Send`}</Button>
        )}
      </div>
      <ContextGauge draft={draft} attached={attached} />
    </form>
  )
}

/** Ignores the second click of a double click on Send, which hits Stop in its place. */
function stopUnlessSent({ detail }: MouseEvent): void {
  if (detail < 2) current.value.stop()
}

/** The key of the draft for this conversation. */
function draftKey(): string {
  const { length, id } = current.value
  return length.value > 0 ? id : 'new'
}

/** The next message: while an answer is written, the queued text and this one. */
function writtenMessage(): QueuedMessage {
  const name = draftKey()
  const message = { content: (draftOf(name) ?? '').trim(), ...attachedTo(name) }
  return current.value.writing.value ? withMore(queuedMessage(), message) : message
}

/** Why the text in the field cannot be sent now, as a sentence, or null. Computed separately, because a growing answer rarely changes it. */
function sendFault(): string | null {
  const { counted } = current.value
  const whole = writtenMessage()
  if (unreadFiles.value.length > 0) return t`Reading ${listText(unreadFiles.value.flat())}…`
  return (
    settingsFault() ??
    lengthFault(whole.content) ??
    countFault(whole) ??
    sizeFault(whole.content, whole, counted.value) ??
    blindnessOf(whole)
  )
}

/** Why a sent message is still here, as a sentence, or null. */
function waitingText(): string | null {
  if (!waitsForModels.value || chatSettings.value.model !== '') return null
  return models.value === null
    ? t`The message is sent when the list of models has loaded.`
    : t`No text model is installed. The message is sent once there is one; an owner can pull one on the Models page.`
}

/** What happens to an answer after a lost connection, as a sentence, or null. */
function connectionText(): string | null {
  if (!current.value.connectionLost.value) return null
  return t`Connection lost. The answer continues; reconnecting…`
}

/** What happens to a message while answers are compared, as a sentence, or null. */
function comparisonText(): string | null {
  const { compared, writing } = current.value
  if (compared.value.length === 0 || writing.value) return null
  if (queuedMessage() !== null) return t`Choose the answer to continue with. The queued message is sent then.`
  return t`Choose the answer to continue with. If you send a message, the first one is used.`
}

function blindnessOf(attached: Attachments): string | null {
  const fault = conversationBlindness(current.value.counted.value, attached, chatSettings.value.model)
  return fault && t`This conversation contains images. ${fault}`
}
