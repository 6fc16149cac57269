import type { VNode } from 'preact'
import type { ListedDelivery } from '../../../contract/webhooks.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment, now } from '../../parts/moment.tsx'

const marks = {
  waiting: { tone: 'busy', label: 'waiting' },
  delivered: { tone: 'good', label: 'delivered' },
  'given-up': { tone: 'bad', label: 'given up' },
} as const satisfies Record<ListedDelivery['state'], object>

const columns: readonly Column<ListedDelivery>[] = [
  { title: 'Receiver', kind: 'lead', cell: ({ url }) => <code>{url}</code> },
  {
    title: 'Request',
    cell: ({ inferenceId }) => (
      <a href={`/console/requests/${encodeURIComponent(inferenceId)}`} aria-label={`Request ${inferenceId}`}>
        <code>{inferenceId.slice(0, 8)}…</code>
      </a>
    ),
  },
  { title: 'State', cell: ({ state }) => <span class={`mark ${marks[state].tone}`}>{marks[state].label}</span> },
  { title: 'Attempts', kind: 'amount', cell: ({ attempts }) => attempts },
  { title: 'Last result', cell: ({ lastResult }) => lastResult ?? '–' },
  { title: 'Next attempt', cell: ({ state, nextAttemptAt }) => (state === 'waiting' ? nextAttempt(nextAttemptAt) : '–') },
]

/** How the latest deliveries fared, newest first. */
export function DeliveryLedger({ deliveries }: { deliveries: readonly ListedDelivery[] }): VNode {
  return <Ledger label="Deliveries" columns={columns} rows={deliveries} keyOf={({ id }) => id} />
}

function nextAttempt(at: number): VNode | string {
  return at < now.value + 60_000 ? 'within a minute' : <Moment at={at} />
}
