import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ListedConversation } from '../../../../core/chat/conversation.ts'
import { neverAborted } from '../../../../core/waiting.ts'
import { serviceNow } from '../../interface/service-clock.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useResource } from '../../state/resource.ts'
import { announce, showToast } from '../../state/toasts.ts'
import { beginWriting } from './composer.tsx'
import { groupByDay } from './conversation-days.ts'
import {
  archiveConversation,
  changeHead,
  current,
  importConversation,
  listChanges,
  loadConversations,
  removeConversation,
} from './conversations.ts'
import { readExport } from './import-conversation.ts'
import { RenameDialog } from './rename-dialog.tsx'

/** Pause in typing before a search is sent. */
const pauseMs = 250

/** Size limit of an imported file, which contains its pictures. */
const maxImportBytes = 200_000_000

/** Earlier conversations: search, open, rename, pin, delete. */
export function ConversationList(): VNode {
  const search = useSignal('')
  const typed = useSignal('')
  const renamed = useSignal<ListedConversation | null>(null)
  const archived = useSignal(false)
  const file = useRef<HTMLInputElement>(null)
  const { length, id, writing, keeper } = current.value
  // The list changes when a message is sent, when its answer is done, and when the service has what it could not store before.
  const said = length.value > 0 ? `${id} ${length.value} ${writing.value} ${keeper.fault.value === null}` : ''
  const { resource, reload } = useResource(
    async (signal) => {
      await current.peek().keeper.settled()
      return loadConversations({ search: typed.value, archived: archived.value, after: null }, signal)
    },
    [typed.value, archived.value],
  )
  // A change reloads the same list, so that it stays when that fails.
  const changes = `${said} ${listChanges.value}`
  const loadedAt = useRef(changes)
  useEffect(() => {
    if (loadedAt.current !== changes) void reload()
    loadedAt.current = changes
  }, [changes])
  useEffect(() => {
    const timer = setTimeout(() => (typed.value = search.value.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [search.value])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.altKey || event.key.toLowerCase() !== 'o') return
      event.preventDefault()
      beginWriting()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const loadMore = async (after: string) => {
    const before = resource.value
    if (before.state !== 'ready') return
    const { conversations, next } = await loadConversations({ search: typed.value, archived: archived.value, after }, neverAborted.signal)
    resource.value = { state: 'ready', value: { conversations: [...before.value.conversations, ...conversations], next } }
  }
  return (
    <section class="history" aria-label={t`Conversations`}>
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
      {archived.value && typed.value === '' ? <h2>{t`Archived conversations`}</h2> : null}
      <Loaded resource={resource} retry={reload}>
        {({ conversations, next }) =>
          conversations.length === 0 ? (
            <p class="soft">
              {typed.value !== ''
                ? t`Nothing found.`
                : archived.value
                  ? t`No archived conversations`
                  : t`Conversations are saved here until you delete them.`}
            </p>
          ) : (
            // A single list, so that an entry keeps the focus when it is pinned.
            <ul>
              {groupByDay(conversations, serviceNow()).flatMap((group) => [
                <li class="history-day" key={`day ${group.title}`}>
                  <h3>{group.title}</h3>
                </li>,
                ...group.conversations.map((conversation) => (
                  <Entry conversation={conversation} key={conversation.id} onRename={() => (renamed.value = conversation)} />
                )),
              ])}
              {next === null ? null : (
                <li>
                  <Button tone="quiet" size="small" onClick={() => loadMore(next)}>{t`Show older ones`}</Button>
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
      <div class="row history-foot">
        <Button tone="quiet" size="small" onClick={() => (archived.value = !archived.value)}>
          {archived.value ? t`Back to the list` : t`Archived conversations`}
        </Button>
        <Button tone="quiet" size="small" onClick={() => file.current?.click()}>{t`Import`}</Button>
        <input
          ref={file}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label={t`Exported conversation`}
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? []
            if (chosen) void importFile(chosen)
            currentTarget.value = ''
          }}
        />
      </div>
      {renamed.value ? <RenameDialog conversation={renamed.value} onClose={() => (renamed.value = null)} /> : null}
    </section>
  )
}

/** Reads a file and stores its conversation. */
async function importFile(file: File): Promise<void> {
  const read = file.size > maxImportBytes ? null : readExport(await file.text(), Date.now())
  if (read === null) showToast(t`${file.name} isn’t a conversation exported as JSON.`)
  else importConversation(read)
}

interface EntryProps {
  readonly conversation: ListedConversation
  readonly onRename: () => void
}

function Entry({ conversation, onRename }: EntryProps): VNode {
  const { id, title, pinned, archived = false, found } = conversation
  const archive = async () => {
    const undo = await archiveConversation(id, !archived)
    showToast(archived ? t`Conversation restored.` : t`Conversation archived.`, { label: t`Undo`, run: undo })
  }
  const remove = async () => {
    const undo = await removeConversation(id)
    showToast(t`Conversation deleted.`, { label: t`Undo`, run: undo })
  }
  const turnPin = async () => {
    await changeHead(id, { pinned: !pinned })
    announce(pinned ? t`Conversation unpinned.` : t`Conversation pinned.`)
  }
  return (
    <li data-pinned={pinned}>
      <a href={`/console/chat/${id}`} dir="auto" title={title} aria-current={current.value.id === id ? 'page' : undefined}>
        {pinned ? <Icon name="pin" size={14} /> : null} {archived ? <Icon name="drawer" size={14} /> : null} {title}
        {archived ? <span class="hidden-text">{t`, archived`}</span> : null}
        {found ? (
          <small dir="auto">
            {found[0]}
            <mark>{found[1]}</mark>
            {found[2]}
          </small>
        ) : null}
      </a>
      <span class="history-acts">
        {archived ? null : (
          <Button tone="quiet" size="small" icon={pinned ? 'unpin' : 'pin'} iconOnly onClick={turnPin}>
            {pinned ? t`Unpin` : t`Pin`}
          </Button>
        )}
        <Button tone="quiet" size="small" icon={archived ? 'undo' : 'drawer'} iconOnly onClick={archive}>
          {archived ? t`Unarchive` : t`Archive`}
        </Button>
        <Button tone="quiet" size="small" icon="brush" iconOnly onClick={onRename}>{t`Rename`}</Button>
        <Button tone="quiet" size="small" icon="trash" iconOnly onClick={remove}>{t`Delete conversation`}</Button>
      </span>
    </li>
  )
}
