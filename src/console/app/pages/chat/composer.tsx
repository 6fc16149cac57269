import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
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
  useEffect(() => {
    // Wherever the focus is; a dialog that is open takes the key for itself.
    const onEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) stop()
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
          <Button icon="stop" iconOnly onClick={stop}>
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
