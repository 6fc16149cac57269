import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { InferenceStatus } from '../../../../core/inference.ts'
import { listInferences } from '../../interface/inference-requests.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Segments } from '../../parts/fields/segments.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { RequestLedger } from './request-ledger.tsx'

const refreshMs = 3000
const filters = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Ended' },
] as const

/** The asynchronous requests of the account, newest first. */
export function RequestsPage(): VNode {
  const filter = useSignal<InferenceStatus | 'all'>('all')
  const cursor = useSignal<string | null>(null)
  const status = filter.value === 'all' ? null : filter.value
  const { resource, reload } = useResource((signal) => listInferences({ status, after: cursor.value }, signal), [status, cursor.value])
  useRepeat(
    useCallback(() => void reload(), [status, cursor.value]),
    cursor.value === null ? refreshMs : null,
  )
  const choose = (value: InferenceStatus | 'all') => {
    filter.value = value
    cursor.value = null
  }
  return (
    <Page
      title="Requests"
      intro="What was asked asynchronously, by programs and in the image playground. Results stay for 24 hours, records for a week longer."
      actions={<Segments label="Show" options={filters} value={filter.value} onChange={choose} />}
    >
      <Loaded resource={resource} retry={() => void reload()}>
        {({ inferences, next }) =>
          inferences.length > 0 ? (
            <>
              <RequestLedger inferences={inferences} />
              <Pager cursor={cursor} next={next} />
            </>
          ) : (
            <EmptyState drawing="ledger" title="An empty ledger">
              <p>Send a request with the header X-Service-Async: 1, or draw something in the image playground.</p>
              <div class="row">
                <Button href="/console/images">Draw something</Button>
              </div>
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}
