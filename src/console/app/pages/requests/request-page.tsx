import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { Account } from '../../../../core/account.ts'
import type { Inference } from '../../../../core/inference.ts'
import type { RequestShown } from '../../../contract/requests.ts'
import { cancelInference, showRequest } from '../../interface/inference-requests.ts'
import { sentenceOf } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { FailureDetail } from '../../parts/failure-detail.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { pathBehind } from '../../state/router.ts'
import { showToast } from '../../state/toasts.ts'
import { DeliveryLedger } from '../webhooks/delivery-ledger.tsx'
import { RequestInput } from './request-call.tsx'
import { RequestFacts } from './request-facts.tsx'
import { RequestResult } from './request-result.tsx'
import { Timeline } from './timeline.tsx'

const refreshMs = 1000

/** One request: its timeline, its facts, and the way to stop it. */
export function RequestPage({ account }: { account: Account }): VNode {
  const id = pathBehind('/console/requests') ?? ''
  const { resource, reload } = useResource((signal) => showRequest(id, signal), [id])
  const current = resource.value
  const open = current.state === 'ready' && current.value.inference.status !== 'completed'
  const isOwn = current.state === 'ready' && current.value.inference.accountId === account.id
  useRepeat(
    useCallback(() => void reload(), [id]),
    open ? refreshMs : null,
  )
  const cancel = async () => {
    try {
      await cancelInference(id)
    } catch (failure) {
      showToast(sentenceOf(failure))
    }
    await reload()
  }
  return (
    <Page
      title="Request"
      intro={<code>{id}</code>}
      width="narrow"
      actions={
        open && isOwn ? (
          <Button tone="danger" icon="stop" onClick={() => void cancel()}>
            Cancel the request
          </Button>
        ) : null
      }
    >
      <Loaded resource={resource} retry={() => void reload()}>
        {({ inference, token, call, deliveries }: RequestShown) => (
          <>
            <div class="sheet stack loose">
              <div class="row between">
                <StatusMark inference={inference} />
                {hasOutput(inference) ? (
                  <Button size="small" icon="download" href={`/console/api/outputs/${encodeURIComponent(inference.id)}`} download>
                    Download the output
                  </Button>
                ) : null}
              </div>
              {inference.error ? <Failure inference={inference} /> : null}
              <Timeline inference={inference} />
            </div>
            {hasOutput(inference) ? <RequestResult inference={inference} /> : null}
            {call === null ? null : <RequestInput call={call} />}
            {deliveries.length > 0 ? <DeliveryLedger deliveries={deliveries} /> : null}
            <RequestFacts inference={inference} token={token} />
          </>
        )}
      </Loaded>
      <p>
        <a href="/console/requests">All requests</a>
      </p>
    </Page>
  )
}

function Failure({ inference: { error, id } }: { inference: Inference }): VNode {
  return (
    <div class="note bad">
      <span>
        {error?.message}
        <FailureDetail requestId={id} cause={error?.cause ?? null} />
      </span>
    </div>
  )
}

function hasOutput({ outcome, expiresAt, output }: Inference): boolean {
  return output !== null && outcome === 'succeeded' && expiresAt !== null && expiresAt > Date.now()
}
