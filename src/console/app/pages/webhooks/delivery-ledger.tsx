import type { VNode } from 'preact'
import type { ListedDelivery } from '../../../contract/webhooks.ts'
import { Moment, now } from '../../parts/moment.tsx'

const marks = {
  waiting: { tone: 'busy', label: 'waiting' },
  delivered: { tone: 'good', label: 'delivered' },
  'given-up': { tone: 'bad', label: 'given up' },
} as const satisfies Record<ListedDelivery['state'], object>

/** How the latest deliveries fared, newest first. */
export function DeliveryLedger({ deliveries }: { deliveries: readonly ListedDelivery[] }): VNode {
  return (
    <div class="sheet flush">
      <table class="ledger folds">
        <caption class="hidden-text">Deliveries</caption>
        <thead>
          <tr>
            <th scope="col">Receiver</th>
            <th scope="col">Request</th>
            <th scope="col">State</th>
            <th scope="col" class="amount">
              Attempts
            </th>
            <th scope="col">Last result</th>
            <th scope="col">Next attempt</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ id, url, inferenceId, state, attempts, lastResult, nextAttemptAt }) => (
            <tr key={id}>
              <td class="lead">
                <code>{url}</code>
              </td>
              <td data-label="Request">
                <a href={`/console/requests/${encodeURIComponent(inferenceId)}`} aria-label={`Request ${inferenceId}`}>
                  <code>{inferenceId.slice(0, 8)}…</code>
                </a>
              </td>
              <td data-label="State">
                <span class={`mark ${marks[state].tone}`}>{marks[state].label}</span>
              </td>
              <td data-label="Attempts" class="amount">
                {attempts}
              </td>
              <td data-label="Last result">{lastResult ?? '–'}</td>
              <td data-label="Next attempt">{state === 'waiting' ? nextAttempt(nextAttemptAt) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function nextAttempt(at: number): VNode | string {
  return at < now.value + 60_000 ? 'within a minute' : <Moment at={at} />
}
