import { useSignal, useSignalEffect } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { serviceAddress } from '../../browser/base-path.ts'
import { languageOf, sentenceOf } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CodeSample } from '../../parts/code-sample.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { Fold } from '../../parts/fields/fold.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { PageTitle } from '../../parts/page.tsx'
import { chatModels, loadModels, origins } from '../../state/models.ts'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { navigate, pathBehind } from '../../state/router.ts'
import { chatSamples } from './chat-samples.ts'
import { changeChatSettings, chatRequestBody, chatSettings } from './chat-settings.ts'
import { ChatSettingsPanel } from './chat-settings-panel.tsx'
import { ChatStart } from './chat-start.tsx'
import { beginWriting, Composer } from './composer.tsx'
import { ConversationList } from './conversation-list.tsx'
import { ConversationView } from './conversation-view.tsx'
import { current, keepAsNew, openConversation, refreshConversation } from './conversations.ts'
import { ExportDialog } from './export-dialog.tsx'
import { messagesOf } from './message-text.ts'
import { isRefused } from './unsent/unsent-changes.ts'

/** Interval at which the page checks for changes by others. */
const refreshMs = 700

/** The chat page: a conversation, the list of the others, and the settings of the next answer. */
export function ChatPage(): VNode {
  const open = useSignal<'settings' | 'conversations' | 'code' | 'export' | null>(null)
  const { resource, reload } = useResource(loadModels, [])
  useSignalEffect(() => {
    const known = chatModels()
    if (known[0] && !known.some((model) => model.id === chatSettings.value.model)) changeChatSettings({ model: known[0].id })
  })
  const path = pathBehind('/console/chat')
  const opening = useResource(async (signal) => (path === null ? undefined : openConversation(path, signal)), [path])
  const { id, title, turns, length, keeper } = current.value
  useRepeat(refreshConversation, refreshMs)
  useEffect(() => {
    // So that the navigation's Chat link returns to this conversation.
    if (path === null && length.value > 0) navigate(`/console/chat/${id}`, { replace: true })
  }, [path])
  // A layout effect, so that a dialog opened before the next paint stays.
  useLayoutEffect(() => {
    open.value = null
  }, [id])
  const close = () => {
    open.value = null
  }
  const hasTurns = length.value > 0
  const isMissing = opening.resource.value.state === 'failed' && path !== id
  return (
    <div class="workbench">
      <div class="chat">
        <header class="page-head">
          <PageTitle title={t`Chat`} />
          <span class="chat-model soft" dir="auto">
            {chatModels().find((model) => model.id === chatSettings.value.model)?.name}
          </span>
          <div class="page-actions">
            {hasTurns ? <Button tone="quiet" size="small" icon="plus" onClick={beginWriting}>{t`New conversation`}</Button> : null}
            {hasTurns ? (
              <Button tone="quiet" size="small" icon="download" onClick={() => (open.value = 'export')}>{t`Export`}</Button>
            ) : null}
            <Button tone="quiet" size="small" icon="code" onClick={() => (open.value = 'code')}>{t`Show as code`}</Button>
            <PanelButton icon="list" onClick={() => (open.value = 'conversations')}>{t`Conversations`}</PanelButton>
            <PanelButton icon="sliders" onClick={() => (open.value = 'settings')}>{t`Settings`}</PanelButton>
          </div>
        </header>
        {hasTurns ? (
          <h2 class="chat-title" dir="auto" title={title.value}>
            {title.value}
          </h2>
        ) : null}
        {resource.value.state === 'failed' ? <FailureNote failure={resource.value.failure} retry={reload} /> : null}
        {opening.resource.value.state === 'failed' && isMissing ? <FailureNote failure={opening.resource.value.failure} /> : null}
        {keeper.isGone.value ? (
          <GoneNote />
        ) : keeper.fault.value ? (
          <UnkeptNote failure={keeper.fault.value} retry={() => keeper.retry()} />
        ) : null}
        {hasTurns ? <ConversationView key={id} /> : <ChatStart />}
        <Composer key={`composer ${id}`} />
      </div>
      <aside aria-label={t`Conversations and settings`}>
        <ConversationList />
        <Fold title={t`Settings`} open>
          <ChatSettingsPanel />
        </Fold>
      </aside>
      {open.value === 'settings' ? (
        <Dialog title={t`Settings`} onClose={close}>
          <ChatSettingsPanel />
        </Dialog>
      ) : null}
      {open.value === 'conversations' ? (
        <Dialog title={t`Conversations`} onClose={close}>
          <ConversationList />
        </Dialog>
      ) : null}
      {open.value === 'export' ? (
        <ExportDialog title={title.value} turns={[...turns.value, current.value.continued ?? []].flat()} onClose={close} />
      ) : null}
      {open.value === 'code' ? <CodeDialog onClose={close} /> : null}
    </div>
  )
}

/** Opens a side panel in narrow windows. */
function PanelButton(button: { icon: IconName; onClick: () => void; children: string }): VNode {
  return <Button tone="quiet" size="small" class="settings-toggle" {...button} />
}

function UnkeptNote({ failure, retry }: { failure: unknown; retry: () => void }): VNode {
  return (
    <div class="note bad" role="status">
      <span>{t.rich`Not saved yet: ${<span lang={languageOf(failure)}>{sentenceOf(failure)}</span>}`}</span>
      {isRefused(failure) ? (
        <>
          <span>{t`This browser keeps it until then, and tries again every minute. Export saves it as a file.`}</span>
          <Button size="small" onClick={retry}>{t`Try again now`}</Button>
        </>
      ) : null}
    </div>
  )
}

function GoneNote(): VNode {
  return (
    <div class="note bad" role="alert">
      <span>{t`This conversation was deleted in another browser or tab. New messages here are not saved.`}</span>
      <Button size="small" onClick={keepAsNew}>{t`Save as a new conversation`}</Button>
    </div>
  )
}

function CodeDialog({ onClose }: { onClose: () => void }): VNode {
  const counted = current.value.counted.value
  const said = counted.flatMap(messagesOf)
  const withPictures = counted.some(({ pictures }) => pictures !== undefined)
  const messages = said.at(-1)?.role === 'assistant' ? said.slice(0, -1) : said
  const shown = messages.length > 0 ? messages : [{ role: 'user' as const, content: t`What is the capital of France?` }]
  return (
    <Dialog title={t`Show as code`} onClose={onClose}>
      <p class="soft">{t.rich`This conversation as a call. Set the environment variable TOKEN to one of your
        ${<a href="/console/tokens">{t`access tokens`}</a>}${withPictures ? t`, and replace IMAGE with the image in base64` : ''}.`}</p>
      <CodeSample samples={chatSamples(origins.value.textUrl ?? serviceAddress(), chatRequestBody(chatSettings.value, shown))} />
    </Dialog>
  )
}
