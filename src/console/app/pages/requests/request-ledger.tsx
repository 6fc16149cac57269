import type { VNode } from 'preact'
import type { Inference } from '../../../../core/inference.ts'
import { durationText } from '../../parts/duration-text.ts'
import { Moment } from '../../parts/moment.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'

/** Requests as rows; each leads to its own page. */
export function RequestLedger({ inferences }: { inferences: readonly Inference[] }): VNode {
  return (
    <div class="sheet flush">
      <table class="ledger folds">
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Status</th>
            <th scope="col">Model</th>
            <th scope="col">Sent</th>
            <th scope="col" class="amount">
              Took
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {inferences.map((inference) => (
            <tr key={inference.id}>
              <td class="lead">
                <a href={`/console/requests/${encodeURIComponent(inference.id)}`}>
                  <code>{inference.id}</code>
                </a>
              </td>
              <td data-label="Status">
                <span class="row">
                  <StatusMark inference={inference} />
                  <span class="faint numbers">{detail(inference)}</span>
                </span>
              </td>
              <td data-label="Model">{inference.model}</td>
              <td data-label="Sent">
                <Moment at={inference.createdAt} />
              </td>
              <td data-label="Took" class="amount">
                {took(inference)}
              </td>
              <td data-label="Result">{result(inference)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
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
