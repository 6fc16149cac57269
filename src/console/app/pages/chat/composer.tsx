import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { chatSettings } from './chat-settings.ts'
import { say, stop, writing } from './conversation.ts'

/** Where one writes: Enter sends, Shift+Enter breaks the line, Escape stops the answer. */
export function Composer(): VNode {
  const draft = useSignal('')
  const ready = draft.value.trim() !== '' && chatSettings.value.model !== ''
  const submit = () => {
    if (!ready || writing.value) return
    say(draft.value.trim())
    draft.value = ''
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') stop()
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
    >
      <div class="composer-sheet">
        <textarea
          aria-label="Your message"
          placeholder="Write a message…"
          rows={1}
          value={draft.value}
          onInput={(event) => {
            draft.value = event.currentTarget.value
          }}
          onKeyDown={onKeyDown}
        />
        {writing.value ? (
          <button type="button" class="button icon-only" onClick={stop}>
            <Icon name="stop" />
            <span class="hidden-text">Stop</span>
          </button>
        ) : (
          <button type="submit" class="button primary icon-only" disabled={!ready}>
            <Icon name="send" />
            <span class="hidden-text">Send</span>
          </button>
        )}
      </div>
    </form>
  )
}
