import type { VNode } from 'preact'
import type { Inference } from '../../../../core/inference.ts'
import { durationText } from '../../parts/duration-text.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'

const columns: readonly Column<Inference>[] = [
  {
    title: 'Request',
    kind: 'lead',
    cell: ({ id }) => (
      <a href={`/console/requests/${encodeURIComponent(id)}`}>
        <code>{id}</code>
      </a>
    ),
  },
  {
    title: 'Status',
    cell: (inference) => (
      <span class="row">
        <StatusMark inference={inference} />
        <span class="faint numbers">{detail(inference)}</span>
      </span>
    ),
  },
  { title: 'Model', cell: ({ model }) => model },
  { title: 'Sent', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: 'Took', kind: 'amount', cell: took },
  { title: 'Result', cell: result },
]

/** Requests as rows; each leads to its own page. */
export function RequestLedger({ inferences }: { inferences: readonly Inference[] }): VNode {
  return <Ledger label="Requests" columns={columns} rows={inferences} keyOf={({ id }) => id} />
}

function detail(inference: Inference): string {
  if (inference.status === 'pending' && inference.queuePosition) return `number ${inference.queuePosition}`
  if (inference.status === 'running' && inference.progress) return `${inference.progress.step} of ${inference.progress.total}`
  return ''
}

function took(inference: Inference): string {
  return inference.startedAt !== null && inference.completedAt !== null ? durationText(inference.completedAt - inference.startedAt) : '–'
}

function result(inference: Inference): VNode | string {
  if (inference.outcome !== 'succeeded' || inference.expiresAt === null) return '–'
  if (inference.expiresAt <= Date.now()) return 'deleted'
  return (
    <span>
      deleted <Moment at={inference.expiresAt} />
    </span>
  )
}
