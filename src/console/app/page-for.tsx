import type { ComponentType, VNode } from 'preact'
import type { Account } from '../../core/account.ts'
import { t } from './language/t.ts'
import { Button } from './parts/button.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { onDemand } from './parts/on-demand.tsx'
import { Page } from './parts/page.tsx'

const RequestPage = onDemand(async () => (await import('./pages/requests/request-page.tsx')).RequestPage)
const ChatPage = onDemand(async () => (await import('./pages/chat/chat-page.tsx')).ChatPage)

type Pages = Readonly<Record<string, ComponentType<{ readonly account: Account }>>>

/** Pages by the rest of their path; each is loaded on first use. */
const pages: Pages = {
  images: onDemand(async () => (await import('./pages/images/images-page.tsx')).ImagesPage),
  gallery: onDemand(async () => (await import('./pages/gallery/gallery-page.tsx')).GalleryPage),
  assets: onDemand(async () => (await import('./pages/assets/assets-page.tsx')).AssetsPage),
  requests: onDemand(async () => (await import('./pages/requests/requests-page.tsx')).RequestsPage),
  usage: onDemand(async () => (await import('./pages/usage/usage-page.tsx')).UsagePage),
  models: onDemand(async () => (await import('./pages/models/models-page.tsx')).ModelsPage),
  tokens: onDemand(async () => (await import('./pages/tokens/tokens-page.tsx')).TokensPage),
  webhooks: onDemand(async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage),
  account: onDemand(async () => (await import('./pages/account/account-page.tsx')).AccountPage),
}

const ownerPages: Pages = {
  people: onDemand(async () => (await import('./pages/people/people-page.tsx')).PeoplePage),
  audit: onDemand(async () => (await import('./pages/audit/audit-page.tsx')).AuditPage),
  service: onDemand(async () => (await import('./pages/service/service-page.tsx')).ServicePage),
}

/** The page of a path. */
export function pageFor(path: string, account: Account): VNode {
  const [, name = '', below] = /^\/console\/([a-z]+)(?:\/(.*))?$/.exec(path) ?? []
  if (name === 'requests' && below !== undefined) return <RequestPage key={path} />
  if (name === 'chat') return <ChatPage />
  const known = account.role === 'owner' ? { ...pages, ...ownerPages } : pages
  const isPage = below === undefined || (name === 'gallery' && below === 'saved')
  const Found = isPage && Object.hasOwn(known, name) ? known[name] : undefined
  return Found === undefined ? <NotFoundPage /> : <Found account={account} />
}

/** Shown for unknown paths. */
function NotFoundPage(): VNode {
  return (
    <Page title={t`Nothing here`} width="narrow">
      <EmptyState drawing="page" title={t`Page not found`}>
        <p>{t`This page doesn’t exist, or only owners can see it.`}</p>
        <div class="row">
          <Button href="/console/chat">{t`Go to the chat`}</Button>
        </div>
      </EmptyState>
    </Page>
  )
}
