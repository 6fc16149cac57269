import type { VNode } from 'preact'
import type { Account } from '../../../core/account.ts'
import { t } from '../language/t.ts'
import { Button } from '../parts/button.tsx'
import { Segments } from '../parts/fields/segments.tsx'
import { Icon } from '../parts/icon.tsx'
import { openOverlay } from '../state/overlay.ts'
import { path } from '../state/router.ts'
import { signOut } from '../state/session.ts'
import { setTheme, theme } from '../state/theme.ts'
import { LanguageSwitch } from './language-switch.tsx'
import { type PageEntry, pageGroups } from './page-entries.ts'
import { Wordmark } from './wordmark.tsx'

const themes = [
  { value: 'auto', label: t`System`, icon: 'auto' },
  { value: 'light', label: t`Light`, icon: 'sun' },
  { value: 'dark', label: t`Dark`, icon: 'moon' },
] as const

/** The console's navigation, beside every page or in the drawer. */
export function Navigation({ account }: { account: Account }): VNode {
  return (
    <section class="side" aria-label={t`Around the console`}>
      <Wordmark />
      <nav aria-label={t`Console`}>
        {pageGroups(account).map(({ title, entries }) => (
          <Group key={title} title={title} entries={entries} />
        ))}
      </nav>
      <div class="side-foot">
        <div class="row">
          <Button size="small" tone="quiet" onClick={() => openOverlay('palette')}>{t`Go to`}</Button>
          <Button size="small" tone="quiet" onClick={() => openOverlay('shortcuts')}>{t`Shortcuts`}</Button>
        </div>
        <div class="row between">
          <Segments label={t`Theme`} value={theme.value} options={themes} onChange={setTheme} />
          <LanguageSwitch />
        </div>
        <div class="side-person">
          <a href="/console/account" aria-current={path.value === '/console/account' ? 'page' : undefined}>
            <span class="initial" aria-hidden="true">
              {account.name.slice(0, 1).toUpperCase()}
            </span>
            <span dir="auto" title={account.name}>
              {account.name}
            </span>
          </a>
          <Button tone="quiet" size="small" icon="leave" iconOnly onClick={() => signOut()}>{t`Sign out`}</Button>
        </div>
      </div>
    </section>
  )
}

function Group({ title, entries }: { title: string; entries: readonly PageEntry[] }): VNode {
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
