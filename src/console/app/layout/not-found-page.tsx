import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

/** For paths that lead nowhere. */
export function NotFoundPage(): VNode {
  return (
    <Page title={t`Nothing here`} width="narrow">
      <EmptyState drawing="page" title={t`This page is blank`}>
        <p>{t`The address leads nowhere, or only an owner may see it.`}</p>
        <div class="row">
          <Button href="/console/chat">{t`Go to the chat`}</Button>
        </div>
      </EmptyState>
    </Page>
  )
}
