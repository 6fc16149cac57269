import type { VNode } from 'preact'
import type { Account } from '../../core/account.ts'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { AccountPage } from './pages/account/account-page.tsx'
import { AssetsPage } from './pages/assets/assets-page.tsx'
import { AuditPage } from './pages/audit/audit-page.tsx'
import { ChatPage } from './pages/chat/chat-page.tsx'
import { GalleryPage } from './pages/gallery/gallery-page.tsx'
import { ImagesPage } from './pages/images/images-page.tsx'
import { ModelsPage } from './pages/models/models-page.tsx'
import { PeoplePage } from './pages/people/people-page.tsx'
import { RequestPage } from './pages/requests/request-page.tsx'
import { RequestsPage } from './pages/requests/requests-page.tsx'
import { ServicePage } from './pages/service/service-page.tsx'
import { TokensPage } from './pages/tokens/tokens-page.tsx'
import { UsagePage } from './pages/usage/usage-page.tsx'
import { WebhooksPage } from './pages/webhooks/webhooks-page.tsx'

/** The page that belongs to a path. */
export function pageFor(path: string, account: Account): VNode {
  const owner = account.role === 'owner'
  if (path.startsWith('/console/requests/')) return <RequestPage key={path} account={account} />
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
