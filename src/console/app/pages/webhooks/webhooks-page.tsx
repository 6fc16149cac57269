import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../state/resource.ts'
import { DeliveryLedger } from './delivery-ledger.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { loadWebhooks } from './webhook-requests.ts'

const refreshMs = 5000

/** The account's webhook secrets, and the results of deliveries. */
export function WebhooksPage(): VNode {
  const { resource, reload } = useResource(loadWebhooks, [], refreshMs)
  return (
    <Page title={t`Webhooks`} intro={t`When an asynchronous request with a webhook ends, Sepia sends a message to its address.`}>
      <Loaded resource={resource} retry={reload}>
        {({ secrets, deliveries }) => (
          <>
            <SigningSecret secrets={secrets} reload={reload} />
            {deliveries.length > 0 ? (
              <DeliveryLedger deliveries={deliveries} />
            ) : (
              <EmptyState drawing="ledger" title={t`No deliveries yet`}>
                <p>{t.rich`Send an asynchronous request with the header ${<code>X-Service-Webhook</code>} and the https address of your
                  receiver.`}</p>
              </EmptyState>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
