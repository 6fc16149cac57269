import type { VNode } from 'preact'
import type { UsageDay } from '../../../../core/usage.ts'

const whole = new Intl.NumberFormat()

/** The numbers behind the charts, newest day first. */
export function UsageTable({ rows }: { rows: readonly UsageDay[] }): VNode {
  const sorted = rows.toSorted((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="sheet flush ledger-scroll" tabIndex={0} aria-label="Usage by day and model">
      <table class="ledger">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Model</th>
            <th scope="col" class="amount">
              Requests
            </th>
            <th scope="col" class="amount">
              Failed
            </th>
            <th scope="col" class="amount">
              Tokens read
            </th>
            <th scope="col" class="amount">
              Tokens written
            </th>
            <th scope="col" class="amount">
              Images
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={`${row.day} ${row.model} ${row.accountId}`}>
              <td class="numbers">{row.day}</td>
              <td>{row.model}</td>
              {[row.requests, row.failures, row.promptTokens, row.completionTokens, row.images].map((amount, index) => (
                <td class="amount" key={index}>
                  {whole.format(amount)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
