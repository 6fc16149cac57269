import type { VNode } from 'preact'
import type { Account } from '../../../core/account.ts'
import { sentenceOf } from '../interface/request.ts'
import { Button } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { path } from '../state/router.ts'
import { signOut } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { Wordmark } from './wordmark.tsx'

interface Entry {
  readonly to: string
  readonly label: string
  readonly icon: IconName
}

const make: readonly Entry[] = [
  { to: '/console/chat', label: 'Chat', icon: 'chat' },
  { to: '/console/images', label: 'Images', icon: 'image' },
  { to: '/console/gallery', label: 'Gallery', icon: 'gallery' },
  { to: '/console/assets', label: 'Assets', icon: 'brush' },
]
const see: readonly Entry[] = [
  { to: '/console/requests', label: 'Requests', icon: 'list' },
  { to: '/console/usage', label: 'Usage', icon: 'chart' },
  { to: '/console/models', label: 'Models', icon: 'model' },
]
const settings: readonly Entry[] = [
  { to: '/console/tokens', label: 'Access tokens', icon: 'key' },
  { to: '/console/webhooks', label: 'Webhooks', icon: 'bell' },
  { to: '/docs/api', label: 'API reference', icon: 'code' },
]
const owners: readonly Entry[] = [
  { to: '/console/people', label: 'People', icon: 'people' },
  { to: '/console/audit', label: 'Audit log', icon: 'list' },
  { to: '/console/service', label: 'Service', icon: 'pulse' },
]

/** The way around the console, beside every page or in the drawer. */
export function Navigation({ account }: { account: Account }): VNode {
  return (
    <div class="side">
      <Wordmark />
      <nav aria-label="Console">
        <Group title="Playground" entries={make} />
        <Group title="Records" entries={see} />
        <Group title="Settings" entries={account.role === 'owner' ? [...settings, ...owners] : settings} />
      </nav>
      <div class="side-foot">
        <ThemeSwitch />
        <div class="side-person">
          <a href="/console/account" aria-current={path.value === '/console/account' ? 'page' : undefined}>
            <span class="initial" aria-hidden="true">
              {account.name.slice(0, 1).toUpperCase()}
            </span>
            <span>{account.name}</span>
          </a>
          <Button
            tone="quiet"
            size="small"
            icon="leave"
            iconOnly
            onClick={() => signOut().catch((failure: unknown) => showToast(sentenceOf(failure)))}
          >
            Sign out
          </Button>
        </div>
      </div>
    </div>
  )
}

function Group({ title, entries }: { title: string; entries: readonly Entry[] }): VNode {
  return (
    <div class="side-group">
      <h2>{title}</h2>
      {entries.map((entry) => (
        <a class="side-link" href={entry.to} key={entry.to} aria-current={isCurrent(entry.to) ? 'page' : undefined}>
          <Icon name={entry.icon} />
          {entry.label}
        </a>
      ))}
    </div>
  )
}

function isCurrent(to: string): boolean {
  return path.value === to || path.value.startsWith(`${to}/`)
}
