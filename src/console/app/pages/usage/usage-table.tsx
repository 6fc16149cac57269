import type { VNode } from 'preact'
import type { UsageDay } from '../../../../core/usage.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'

const whole = new Intl.NumberFormat()

function amount(title: string, count: (row: UsageDay) => number): Column<UsageDay> {
  return { title, kind: 'amount', cell: (row) => whole.format(count(row)) }
}

const columns: readonly Column<UsageDay>[] = [
  { title: 'Day', cell: ({ day }) => <span class="numbers">{day}</span> },
  { title: 'Model', cell: ({ model }) => model },
  amount('Requests', (row) => row.requests),
  amount('Failed', (row) => row.failures),
  amount('Tokens read', (row) => row.promptTokens),
  amount('Tokens written', (row) => row.completionTokens),
  amount('Images', (row) => row.images),
]

/** The numbers behind the charts, newest day first. */
export function UsageTable({ rows }: { rows: readonly UsageDay[] }): VNode {
  const sorted = rows.toSorted((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model))
  return (
    <Ledger
      label="Usage by day and model"
      columns={columns}
      rows={sorted}
      keyOf={(row) => `${row.day} ${row.model} ${row.accountId}`}
      narrow="scrolls"
    />
  )
}
