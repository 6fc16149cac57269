import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Account } from '../../core/account.ts'
import type { CurrentSession } from '../contract/session.ts'
import { request } from './interface/request.ts'
import { momentText } from './language/formats.ts'
import { t } from './language/t.ts'
import { Navigation } from './layout/navigation.tsx'
import { Wordmark } from './layout/wordmark.tsx'
import { pageFor } from './page-for.tsx'
import { CommandPalette } from './pages/palette/command-palette.tsx'
import { ShortcutsSheet } from './pages/palette/shortcuts-sheet.tsx'
import { Button } from './parts/button.tsx'
import { durationText } from './parts/duration-text.ts'
import { closeOverlay, listenForShortcuts, overlay } from './state/overlay.ts'
import { useResource } from './state/resource.ts'
import { path } from './state/router.ts'

/** The frame of every page after sign-in. */
export function Shell({ account }: { account: Account }): VNode {
  const drawer = useRef<HTMLDialogElement>(null)
  const here = path.value
  useEffect(() => drawer.current?.close(), [here])
  useEffect(listenForShortcuts, [])
  const over = overlay.value
  return (
    <div class="frame">
      <a class="button skip-link" href="#main">{t`Skip to content`}</a>
      <Navigation account={account} />
      <header class="top-bar">
        <Wordmark />
        <Button tone="quiet" icon="menu" iconOnly onClick={() => drawer.current?.showModal()}>{t`Open the menu`}</Button>
      </header>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog by itself; this is the click beside it */}
      <dialog
        ref={drawer}
        class="drawer"
        aria-label={t`Menu`}
        onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
      >
        <Navigation account={account} />
      </dialog>
      <main class="main" id="main" tabIndex={-1}>
        <RequestLogNote />
        {pageFor(here, account)}
      </main>
      {over?.shows === 'palette' ? <CommandPalette key={over.opening} account={account} onClose={() => closeOverlay(over)} /> : null}
      {over?.shows === 'shortcuts' ? <ShortcutsSheet key={over.opening} onClose={() => closeOverlay(over)} /> : null}
    </div>
  )
}

const logRefreshMs = 10_000

/** Informs the user that the account's request log is on. */
function RequestLogNote(): VNode | null {
  const { resource } = useResource((signal) => request<CurrentSession>('/console/api/session', { signal }), [], logRefreshMs)
  const log = resource.value.state === 'ready' ? resource.value.value.requestLog : null
  if (!log) return null
  return (
    <p class="note warn" role="status">
      {t`An owner has logged your requests and answers since ${momentText(log.since)}; each is kept for ${durationText(log.keepMs)}.`}
    </p>
  )
}
