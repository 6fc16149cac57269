import type { VNode } from 'preact'
import type { UsageDay } from '../../../../core/usage.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { ModelDot } from '../../parts/models/model-dot.tsx'
import type { SeriesOf } from './usage-series.ts'

const whole = new Intl.NumberFormat()

function amount(title: string, count: (row: UsageDay) => number): Column<UsageDay> {
  return { title, kind: 'amount', cell: (row) => whole.format(count(row)) }
}

const day: Column<UsageDay> = { title: 'Day', cell: (row) => <span class="numbers">{row.day}</span> }

const columns: readonly Column<UsageDay>[] = [
  {
    title: 'Model',
    cell: ({ model }) => (
      <span class="clipped" title={model}>
        <ModelDot model={model} /> {model}
      </span>
    ),
  },
  amount('Requests', (row) => row.requests),
  amount('Failed', (row) => row.failures),
  amount('Tokens read', (row) => row.promptTokens),
  amount('Tokens written', (row) => row.completionTokens),
  amount('Images', (row) => row.images),
]

/** The numbers behind the charts, newest day first. */
export function UsageTable({ rows, personOf }: { rows: readonly UsageDay[]; personOf: SeriesOf['person'] }): VNode {
  const person: Column<UsageDay> | null = personOf && {
    title: 'Person',
    cell: ({ accountId }) => (
      <span class="clipped" title={personOf(accountId)}>
        {personOf(accountId)}
      </span>
    ),
  }
  const sorted = rows.toSorted((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model))
  return (
    <Ledger
      label="Usage by day and model"
      columns={[day, ...(person === null ? [] : [person]), ...columns]}
      rows={sorted}
      keyOf={(row) => `${row.day} ${row.model} ${row.accountId}`}
      narrow="scrolls"
    />
  )
}
