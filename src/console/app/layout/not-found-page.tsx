import type { VNode } from 'preact'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

/** For paths that lead nowhere. */
export function NotFoundPage(): VNode {
  return (
    <Page title="Nothing here" width="narrow">
      <EmptyState drawing="page" title="This page is blank">
        <p>The address leads nowhere, or only an owner may see it.</p>
        <div class="row">
          <Button href="/console/chat">Go to the chat</Button>
        </div>
      </EmptyState>
    </Page>
  )
}
