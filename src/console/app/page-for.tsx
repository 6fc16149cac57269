import type { VNode } from 'preact'
import type { Account } from '../../core/account.ts'
import { t } from './language/t.ts'
import { Button } from './parts/button.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { onDemand } from './parts/on-demand.tsx'
import { Page } from './parts/page.tsx'

const AccountPage = onDemand(async () => (await import('./pages/account/account-page.tsx')).AccountPage)
const AssetsPage = onDemand(async () => (await import('./pages/assets/assets-page.tsx')).AssetsPage)
const AuditPage = onDemand(async () => (await import('./pages/audit/audit-page.tsx')).AuditPage)
const ChatPage = onDemand(async () => (await import('./pages/chat/chat-page.tsx')).ChatPage)
const GalleryPage = onDemand(async () => (await import('./pages/gallery/gallery-page.tsx')).GalleryPage)
const ImagesPage = onDemand(async () => (await import('./pages/images/images-page.tsx')).ImagesPage)
const ModelsPage = onDemand(async () => (await import('./pages/models/models-page.tsx')).ModelsPage)
const PeoplePage = onDemand(async () => (await import('./pages/people/people-page.tsx')).PeoplePage)
const RequestPage = onDemand(async () => (await import('./pages/requests/request-page.tsx')).RequestPage)
const RequestsPage = onDemand(async () => (await import('./pages/requests/requests-page.tsx')).RequestsPage)
const ServicePage = onDemand(async () => (await import('./pages/service/service-page.tsx')).ServicePage)
const TokensPage = onDemand(async () => (await import('./pages/tokens/tokens-page.tsx')).TokensPage)
const UsagePage = onDemand(async () => (await import('./pages/usage/usage-page.tsx')).UsagePage)
const WebhooksPage = onDemand(async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage)

/** The page of a path. */
export function pageFor(path: string, account: Account): VNode {
  const owner = account.role === 'owner'
  if (path.startsWith('/console/requests/')) return <RequestPage key={path} />
  if (path === '/console/chat' || path.startsWith('/console/chat/')) return <ChatPage />
  switch (path) {
    case '/console/images':
      return <ImagesPage />
    case '/console/gallery':
      return <GalleryPage />
    case '/console/assets':
      return <AssetsPage account={account} />
    case '/console/requests':
      return <RequestsPage account={account} />
    case '/console/usage':
      return <UsagePage account={account} />
    case '/console/models':
      return <ModelsPage account={account} />
    case '/console/tokens':
      return <TokensPage />
    case '/console/webhooks':
      return <WebhooksPage />
    case '/console/account':
      return <AccountPage account={account} />
    case '/console/people':
      return owner ? <PeoplePage account={account} /> : <NotFoundPage />
    case '/console/audit':
      return owner ? <AuditPage /> : <NotFoundPage />
    case '/console/service':
      return owner ? <ServicePage /> : <NotFoundPage />
    default:
      return <NotFoundPage />
  }
}

/** Shown for unknown paths. */
function NotFoundPage(): VNode {
  return (
    <Page title={t`Nothing here`} width="narrow">
      <EmptyState drawing="page" title={t`Start a conversation`}>
        <p>{t`This page doesn’t exist, or only owners can see it.`}</p>
        <div class="row">
          <Button href="/console/chat">{t`Go to the chat`}</Button>
        </div>
      </EmptyState>
    </Page>
  )
}
