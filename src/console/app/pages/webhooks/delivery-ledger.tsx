import type { VNode } from 'preact'
import type { ListedDelivery } from '../../../contract/webhooks.ts'
import { t } from '../../language/t.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment, now } from '../../parts/moment.tsx'

const marks = {
  waiting: { tone: 'busy', label: t`waiting` },
  delivered: { tone: 'good', label: t`delivered` },
  'given-up': { tone: 'bad', label: t`given up` },
} as const satisfies Record<ListedDelivery['state'], object>

const columns: readonly Column<ListedDelivery>[] = [
  {
    title: t`Receiver`,
    kind: 'lead',
    cell: ({ url }) => (
      <code class="clipped" title={url}>
        {url}
      </code>
    ),
  },
  {
    title: t`Request`,
    cell: ({ inferenceId }) => (
      <a href={`/console/requests/${encodeURIComponent(inferenceId)}`} aria-label={t`Request ${inferenceId}`}>
        <code>{inferenceId.slice(0, 8)}…</code>
      </a>
    ),
  },
  { title: t`State`, cell: ({ state }) => <span class={`mark ${marks[state].tone}`}>{marks[state].label}</span> },
  { title: t`Attempts`, kind: 'amount', cell: ({ attempts }) => attempts },
  { title: t`Last result`, cell: ({ lastResult }) => lastResult ?? '–' },
  { title: t`Next attempt`, cell: ({ state, nextAttemptAt }) => (state === 'waiting' ? nextAttempt(nextAttemptAt) : '–') },
]

/** The results of the latest deliveries, newest first. */
export function DeliveryLedger({ deliveries }: { deliveries: readonly ListedDelivery[] }): VNode {
  return <Ledger label={t`Deliveries`} columns={columns} rows={deliveries} keyOf={({ id }) => id} crowded />
}

function nextAttempt(at: number): VNode | string {
  return at < now.value + 60_000 ? t`within a minute` : <Moment at={at} />
}
