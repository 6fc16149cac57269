import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { AttachedText } from '../../../../core/chat/conversation.ts'
import { Button } from '../../parts/button.tsx'
import { storedSignal } from '../../state/stored.ts'
import { showToast } from '../../state/toasts.ts'
import { chatSettings } from './chat-settings.ts'
import { current, settleAddress } from './conversations.ts'
import { readTextFile } from './read-text-file.ts'
import { readSchema } from './structure/read-schema.ts'
import { readTools } from './structure/read-tools.ts'

/** What was written and not sent, by conversation; what stands under `new` belongs to no conversation yet. */
const drafts = storedSignal<{ readonly texts: Readonly<Record<string, string>> }>('drafts', { texts: {} })

function keepDraft(name: string, text: string): void {
  const { [name]: _, ...others } = drafts.value.texts
  drafts.value = { texts: text === '' ? others : { ...others, [name]: text } }
}

/** Says something in the conversation that is shown. */
export function say(content: string, files: readonly AttachedText[] = []): void {
  current.value.say(content, files)
  settleAddress()
}

/** Where one writes: Enter sends, Shift+Enter breaks the line, Escape stops the answer. */
export function Composer(): VNode {
  const picker = useRef<HTMLInputElement>(null)
  const files = useSignal<readonly AttachedText[]>([])
  const { turns, writing, comparing, id } = current.value
  const name = turns.value.length > 0 ? id : 'new'
  const draft = drafts.value.texts[name] ?? ''
  const hindrance = hindranceOf(comparing.value.length > 0 && !writing.value)
  const ready = draft.trim() !== '' && chatSettings.value.model !== '' && hindrance === null
  const submit = () => {
    if (!ready || writing.value) return
    keepDraft(name, '')
    say(draft.trim(), files.value)
    files.value = []
  }
  const attach = async (chosen: readonly File[]) => {
    for (const file of chosen) {
      const read = await readTextFile(file)
      if ('fault' in read) showToast(read.fault)
      else files.value = [...files.value, read]
    }
  }
  useEffect(() => {
    // Wherever the focus is; a dialog that is open takes the key for itself.
    const onEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) current.value.stop()
    }
    document.addEventListener('keydown', onEscape)
    return () => document.removeEventListener('keydown', onEscape)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void attach([...(event.dataTransfer?.files ?? [])])
      }}
    >
      {files.value.length > 0 ? (
        <div class="row">
          {files.value.map((file) => (
            <Button size="small" icon="close" key={file.name} onClick={() => (files.value = files.value.filter((each) => each !== file))}>
              {file.name}
            </Button>
          ))}
        </div>
      ) : null}
      {hindrance === null ? null : (
        <p class="soft" role="status">
          {hindrance}
        </p>
      )}
      <div class="composer-sheet">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={({ currentTarget }) => {
            void attach([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
        <Button tone="quiet" icon="plus" iconOnly onClick={() => picker.current?.click()}>
          Attach text files
        </Button>
        <textarea
          aria-label="Your message"
          placeholder="Write a message…"
          rows={1}
          value={draft}
          onInput={(event) => keepDraft(name, event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {writing.value ? (
          <Button icon="stop" iconOnly onClick={() => current.value.stop()}>
            Stop
          </Button>
        ) : (
          <Button tone="primary" icon="send" iconOnly disabled={!ready}>
            Send
          </Button>
        )}
      </div>
    </form>
  )
}

/** Why nothing can be said now, as a sentence, or null. */
function hindranceOf(mustChoose: boolean): string | null {
  if (mustChoose) return 'Choose the answer that the conversation goes on with.'
  const fault = readSchema(chatSettings.value).fault ?? readTools(chatSettings.value.tools).fault
  return fault && `${fault} It stands under Functions and JSON in the settings.`
}
