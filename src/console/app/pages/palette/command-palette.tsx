import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import type { Account } from '../../../../core/account.ts'
import type { ConversationPage } from '../../../contract/conversations.ts'
import { request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { loadModels, models } from '../../state/models.ts'
import { useResource } from '../../state/resource.ts'
import { type Destination, destinationsOf, findDestinations } from './destinations.ts'

/** Finds pages, models and conversations by a few letters. */
export function CommandPalette({ account, onClose }: { account: Account; onClose: () => void }): VNode {
  const search = useSignal('')
  const chosen = useSignal(0)
  const list = useId()
  const { resource } = useResource(async (signal) => {
    const [page] = await Promise.all([request<ConversationPage>('/console/api/conversations', { signal }), loadModels(signal)])
    return page.conversations
  }, [])
  const conversations = resource.value.state === 'ready' ? resource.value.value : []
  const found = findDestinations(destinationsOf({ account, models: models.value ?? [], conversations }), search.value)
  const at = Math.min(chosen.value, found.length - 1)
  useEffect(() => document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at, list])
  const go = (destination: Destination | undefined) => {
    if (destination === undefined) return
    onClose()
    destination.go()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') go(found[at])
    else if (step !== undefined && found.length > 0) chosen.value = (at + step + found.length) % found.length
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t`Go to`} onClose={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-label={t`Find a page, model or conversation`}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={at < 0 ? undefined : `${list}-${at}`}
        autocomplete="off"
        autofocus
        placeholder={t`Page, model or conversation`}
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value
          chosen.value = 0
        }}
        onKeyDown={onKey}
      />
      <div class="palette" role="listbox" id={list} aria-label={t`Found`}>
        {found.map((destination, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys work in the box above, which says what is chosen
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box above
          <div
            key={destination.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            title={destination.label}
            onClick={() => go(destination)}
          >
            <Icon name={destination.icon} size={16} />
            <span class="clipped">{destination.label}</span>
            <small class="faint clipped">{destination.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="soft">{t`No matches.`}</p> : null}
    </Dialog>
  )
}
