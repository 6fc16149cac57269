import type { Account } from '../../../../core/account.ts'
import type { ListedConversation } from '../../../../core/chat/conversation.ts'
import type { ConsoleModel } from '../../../contract/models.ts'
import { withBase } from '../../browser/base-path.ts'
import { t } from '../../language/t.ts'
import { pageGroups } from '../../layout/page-entries.ts'
import type { IconName } from '../../parts/icon.tsx'
import { navigate } from '../../state/router.ts'
import { tryModel } from './try-model.ts'

/** A target of the palette. */
export interface Destination {
  readonly key: string
  readonly label: string
  /** Its kind: page, model or conversation. */
  readonly kind: string
  readonly icon: IconName
  readonly go: () => void
}

interface Known {
  readonly account: Pick<Account, 'role'>
  readonly models: readonly ConsoleModel[]
  /** Newest first. */
  readonly conversations: readonly ListedConversation[]
}

/** All targets: every page, every model to try, the newest conversations. */
export function destinationsOf({ account, models, conversations }: Known): readonly Destination[] {
  const pages = [
    ...pageGroups(account).flatMap(({ entries }) => entries),
    { to: '/console/account', label: t`Your account`, icon: 'people' as const },
    { to: '/docs', label: t`Documentation`, icon: 'list' as const },
  ]
  return [
    ...pages.map(({ to, label, icon }) => ({
      key: to,
      label,
      kind: t`page`,
      icon,
      go: () => (to.startsWith('/console/') ? navigate(to) : location.assign(withBase(to))),
    })),
    ...models.map((model) => ({
      key: `model ${model.id}`,
      label: model.name,
      kind: t`model ${model.id}`,
      icon: 'model' as const,
      go: () => tryModel(model),
    })),
    ...conversations.map(({ id, title }) => ({
      key: `conversation ${id}`,
      label: title,
      kind: t`conversation`,
      icon: 'chat' as const,
      go: () => navigate(`/console/chat/${encodeURIComponent(id)}`),
    })),
  ]
}

/** The targets whose label or kind contains every word. */
export function findDestinations(all: readonly Destination[], search: string): readonly Destination[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ label, kind }) => words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)))
}
