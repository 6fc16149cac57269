import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { ErrorRecord } from '../../../../core/error.ts'
import type { Inference } from '../../../../core/inference.ts'
import type { RequestShown } from '../../../contract/requests.ts'
import { cancelInference, showRequest } from '../../interface/inference-requests.ts'
import { serviceNow } from '../../interface/service-clock.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FailureBox } from '../../parts/failure-note.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { now } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { pathBehind } from '../../state/router.ts'
import { DeliveryLedger } from '../webhooks/delivery-ledger.tsx'
import { RequestBodies } from './request-bodies.tsx'
import { RequestInput } from './request-call.tsx'
import { RequestFacts, Timeline } from './request-facts.tsx'
import { RequestResult } from './request-result.tsx'
import { timelineEvents, waitedEvents } from './timeline-events.ts'

const refreshMs = 1000

/** One request: its timeline and facts, and a button to cancel it. */
export function RequestPage(): VNode {
  const place = pathBehind('/console/requests') ?? ''
  const { resource, reload } = useResource((signal) => showRequest(place, signal), [place])
  const current = resource.value
  const open = current.state === 'ready' && current.value.inference !== null && current.value.inference.status !== 'completed'
  const isOwn = current.state === 'ready' && current.value.account === null
  useRepeat(
    useCallback(() => reload(), [place]),
    open ? refreshMs : null,
  )
  const cancel = async () => {
    if (current.state !== 'ready') return
    await cancelInference(current.value.id).finally(reload)
  }
  return (
    <Page
      title={t`Request`}
      intro={current.state === 'ready' ? <RequestId id={current.value.id} /> : null}
      width="narrow"
      actions={open && isOwn ? <Button tone="danger" icon="stop" onClick={cancel}>{t`Cancel the request`}</Button> : null}
    >
      <Loaded resource={resource} retry={reload}>
        {(shown: RequestShown) => (
          <>
            {shown.inference === null ? <Waited shown={shown} /> : <Deferred inference={shown.inference} />}
            {shown.call === null ? null : <RequestInput call={shown.call} />}
            {shown.logged ? <RequestBodies id={place} /> : null}
            {shown.deliveries.length > 0 ? <DeliveryLedger deliveries={shown.deliveries} /> : null}
            <RequestFacts shown={shown} />
          </>
        )}
      </Loaded>
      <p>
        <a href="/console/requests">{t`All requests`}</a>
      </p>
    </Page>
  )
}

function RequestId({ id }: { id: string }): VNode {
  return (
    <span class="row">
      <code>{id}</code>
      <CopyButton text={id} />
    </span>
  )
}

/** The state and result of an asynchronous request. */
function Deferred({ inference }: { inference: Inference }): VNode {
  return (
    <>
      <div class="sheet stack loose">
        <div class="row between">
          <StatusMark inference={inference} />
          {hasOutput(inference) ? (
            <Button
              size="small"
              icon="download"
              href={`/console/api/outputs/${encodeURIComponent(inference.id)}`}
              download
            >{t`Download as JSON`}</Button>
          ) : null}
        </div>
        {inference.error ? <Failure error={inference.error} requestId={inference.id} /> : null}
        <Timeline events={timelineEvents(inference, now.value)} />
      </div>
      {hasOutput(inference) ? <RequestResult inference={inference} /> : null}
    </>
  )
}

/** A synchronous request: its error, its timeline, and why there is no more to show. */
function Waited({ shown }: { shown: RequestShown }): VNode {
  const { result } = shown
  if (result === null) return <p class="sheet soft">{t`Its details have been deleted; only the entry is left.`}</p>
  return (
    <div class="sheet stack loose">
      <div class="row">
        <StatusMark inference={{ status: 'completed', outcome: result.outcome }} />
      </div>
      {result.error ? <Failure error={result.error} requestId={shown.id} /> : null}
      <Timeline events={waitedEvents(shown.at, result)} />
      {shown.logged ? null : (
        <p class="faint">{t`Synchronous requests and their answers aren’t stored. To keep them, an owner can turn on the request log.`}</p>
      )}
    </div>
  )
}

function Failure({ error: { message, cause }, requestId }: { error: ErrorRecord; requestId: string }): VNode {
  return <FailureBox text={message} language="en" requestId={requestId} cause={cause ?? null} />
}

function hasOutput({ outcome, expiresAt, output }: Inference): boolean {
  return output !== null && outcome === 'succeeded' && expiresAt !== null && expiresAt > serviceNow()
}
