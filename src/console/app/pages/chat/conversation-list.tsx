import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ListedConversation } from '../../../../core/chat/conversation.ts'
import { neverAborted } from '../../../../core/waiting.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useResource } from '../../state/resource.ts'
import { announce, showToast } from '../../state/toasts.ts'
import { beginConversation, changeHead, current, listChanges, loadConversations, removeConversation } from './conversations.ts'
import { RenameDialog } from './rename-dialog.tsx'

/** How long somebody pauses before a search is sent. */
const pauseMs = 250

/** What is kept of earlier conversations: found, opened, renamed, pinned and deleted. */
export function ConversationList(): VNode {
  const search = useSignal('')
  const typed = useSignal('')
  const renamed = useSignal<ListedConversation | null>(null)
  const { turns, id, writing } = current.value
  // What was said changes the list once it is said, and once more when the answer is done.
  const said = turns.value.length > 0 ? `${id} ${turns.value.length} ${writing.value}` : ''
  const { resource, reload } = useResource(
    async (signal) => {
      await current.peek().keeper.settled()
      return loadConversations({ search: typed.value, after: null }, signal)
    },
    [said, typed.value, listChanges.value],
  )
  useEffect(() => {
    const timer = setTimeout(() => (typed.value = search.value.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [search.value])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.altKey || event.key.toLowerCase() !== 'o') return
      event.preventDefault()
      beginConversation()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const loadMore = async (after: string) => {
    const before = resource.value
    if (before.state !== 'ready') return
    const { conversations, next } = await loadConversations({ search: typed.value, after }, neverAborted.signal)
    resource.value = { state: 'ready', value: { conversations: [...before.value.conversations, ...conversations], next } }
  }
  return (
    <section class="history" aria-label={t`Conversations`}>
      {turns.value.length > 0 ? (
        <Button size="small" icon="plus" class="history-new" onClick={beginConversation}>{t`Start a new one`}</Button>
      ) : null}
      <input
        class="input"
        type="search"
        aria-label={t`Search conversations`}
        placeholder={t`Search conversations`}
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value
        }}
      />
      <Loaded resource={resource} retry={reload}>
        {({ conversations, next }) =>
          conversations.length === 0 ? (
            <p class="soft">{typed.value === '' ? t`Conversations are saved here until you delete them.` : t`Nothing found.`}</p>
          ) : (
            <ul>
              {conversations.map((conversation) => (
                <Entry conversation={conversation} key={conversation.id} onRename={() => (renamed.value = conversation)} />
              ))}
              {next === null ? null : (
                <li>
                  <Button tone="quiet" size="small" onClick={() => loadMore(next)}>{t`Show older ones`}</Button>
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
      {renamed.value ? <RenameDialog conversation={renamed.value} onClose={() => (renamed.value = null)} /> : null}
    </section>
  )
}

function Entry({ conversation, onRename }: { conversation: ListedConversation; onRename: () => void }): VNode {
  const { id, title, pinned } = conversation
  const remove = async () => {
    const undo = await removeConversation(id)
    showToast(t`Conversation deleted.`, { label: t`Undo`, run: undo })
  }
  const turnPin = async () => {
    await changeHead({ ...conversation, pinned: !pinned })
    announce(pinned ? t`The conversation is no longer pinned.` : t`The conversation is pinned.`)
  }
  return (
    <li data-pinned={pinned}>
      <a href={`/console/chat/${id}`} dir="auto" title={title} aria-current={current.value.id === id ? 'page' : undefined}>
        {pinned ? <Icon name="pin" size={14} /> : null} {title}
      </a>
      <span class="history-acts">
        <Button tone="quiet" size="small" icon={pinned ? 'unpin' : 'pin'} iconOnly onClick={turnPin}>
          {pinned ? t`Unpin` : t`Pin`}
        </Button>
        <Button tone="quiet" size="small" icon="brush" iconOnly onClick={onRename}>{t`Rename`}</Button>
        <Button tone="quiet" size="small" icon="trash" iconOnly onClick={remove}>{t`Delete conversation`}</Button>
      </span>
    </li>
  )
}
