import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { Inference } from '../../../../core/inference.ts'
import { cancelInference, findInference } from '../../interface/inference-requests.ts'
import { sentenceOf } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { pathBehind } from '../../state/router.ts'
import { showToast } from '../../state/toasts.ts'
import { RequestFacts } from './request-facts.tsx'
import { RequestResult } from './request-result.tsx'
import { Timeline } from './timeline.tsx'

const refreshMs = 1000

/** One request: its timeline, its facts, and the way to stop it. */
export function RequestPage(): VNode {
  const id = pathBehind('/console/requests') ?? ''
  const { resource, reload } = useResource((signal) => findInference(id, signal), [id])
  const current = resource.value
  const open = current.state === 'ready' && current.value.status !== 'completed'
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
        open ? (
          <Button tone="danger" icon="stop" onClick={() => void cancel()}>
            Cancel the request
          </Button>
        ) : null
      }
    >
      <Loaded resource={resource} retry={() => void reload()}>
        {(inference) => (
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
              {inference.error ? <p class="note bad">{inference.error.message}</p> : null}
              <Timeline inference={inference} />
            </div>
            {hasOutput(inference) ? <RequestResult inference={inference} /> : null}
            <RequestFacts inference={inference} />
          </>
        )}
      </Loaded>
      <p>
        <a href="/console/requests">All requests</a>
      </p>
    </Page>
  )
}

function hasOutput({ outcome, expiresAt }: Inference): boolean {
  return outcome === 'succeeded' && expiresAt !== null && expiresAt > Date.now()
}
