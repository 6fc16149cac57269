import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

/** For paths that lead nowhere. */
export function NotFoundPage(): VNode {
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
