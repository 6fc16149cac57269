import { useSignal, useSignalEffect } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../../parts/button.tsx'
import { CodeSample } from '../../parts/code-sample.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { PageTitle } from '../../parts/page.tsx'
import { chatModels, loadModels, origins } from '../../state/models.ts'
import { useResource } from '../../state/resource.ts'
import { chatSamples } from './chat-samples.ts'
import { changeChatSettings, chatRequestBody, chatSettings } from './chat-settings.ts'
import { ChatSettingsPanel } from './chat-settings-panel.tsx'
import { ChatStart } from './chat-start.tsx'
import { Composer } from './composer.tsx'
import { clearConversation, turns } from './conversation.ts'
import { ConversationView } from './conversation-view.tsx'

/** The chat playground. */
export function ChatPage(): VNode {
  const open = useSignal<'settings' | 'code' | null>(null)
  const { resource, reload } = useResource(loadModels, [])
  useSignalEffect(() => {
    const known = chatModels()
    if (known[0] && !known.some((model) => model.id === chatSettings.value.model)) changeChatSettings({ model: known[0].id })
  })
  const close = () => {
    open.value = null
  }
  const sampleTurns = turns.value.length > 0 ? turns.value : [{ role: 'user' as const, content: 'What is the capital of France?' }]
  return (
    <div class="workbench">
      <div class="chat">
        <header class="page-head">
          <PageTitle title="Chat" />
          <div class="page-actions">
            {turns.value.length > 0 ? (
              <Button tone="quiet" size="small" icon="plus" onClick={clearConversation}>
                New conversation
              </Button>
            ) : null}
            <Button tone="quiet" size="small" icon="code" onClick={() => (open.value = 'code')}>
              Show as code
            </Button>
            <Button tone="quiet" size="small" class="settings-toggle" icon="sliders" onClick={() => (open.value = 'settings')}>
              Settings
            </Button>
          </div>
        </header>
        {resource.value.state === 'failed' ? <FailureNote failure={resource.value.failure} retry={() => void reload()} /> : null}
        {turns.value.length > 0 ? <ConversationView /> : <ChatStart />}
        <Composer />
      </div>
      <aside aria-label="Settings">
        <ChatSettingsPanel />
      </aside>
      {open.value === 'settings' ? (
        <Dialog title="Settings" onClose={close}>
          <ChatSettingsPanel />
        </Dialog>
      ) : null}
      {open.value === 'code' ? (
        <Dialog title="Show as code" onClose={close}>
          <p class="soft">
            This conversation as a call. Put one of your <a href="/console/tokens">access tokens</a> where it says TOKEN.
          </p>
          <CodeSample
            samples={chatSamples(origins.value.textUrl ?? location.origin, chatRequestBody(chatSettings.value, messagesOf(sampleTurns)))}
          />
        </Dialog>
      ) : null}
    </div>
  )
}

function messagesOf(all: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]) {
  const messages = all.filter((turn) => turn.content !== '').map(({ role, content }) => ({ role, content }))
  return messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages
}
