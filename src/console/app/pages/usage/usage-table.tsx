import type { VNode } from 'preact'
import type { UsageDay } from '../../../../core/usage.ts'
import { dayText, hourText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Clipped } from '../../parts/clipped.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { ModelDot } from '../../parts/models/model-dot.tsx'
import type { SeriesOf } from './usage-series.ts'

function amount(title: string, count: (row: UsageDay) => number): Column<UsageDay> {
  return { title, kind: 'amount', cell: (row) => wholeText(count(row)) }
}

const day: Column<UsageDay> = {
  title: t`Day`,
  cell: (row) => <span class="date numbers">{dayText(row.day)}</span>,
}

const hour: Column<UsageDay> = {
  title: t`Hour`,
  cell: (row) => <span class="date numbers">{hourText(row.day)}</span>,
}

const columns: readonly Column<UsageDay>[] = [
  {
    title: t`Model`,
    cell: ({ model }) => (
      <Clipped text={model}>
        <ModelDot model={model} /> {model}
      </Clipped>
    ),
  },
  amount(t`Requests`, (row) => row.requests),
  amount(t`Failed`, (row) => row.failures),
  amount(t`Rate-limited`, (row) => row.refusals),
  amount(t`Tokens in`, (row) => row.promptTokens),
  amount(t`Tokens out`, (row) => row.completionTokens),
  amount(t`Images`, (row) => row.images),
]

/** The numbers of the charts, newest day first. */
export function UsageTable({ rows, personOf }: { rows: readonly UsageDay[]; personOf: SeriesOf['person'] }): VNode {
  const person: Column<UsageDay> | null = personOf && {
    title: t`Person`,
    cell: ({ accountId }) => <Clipped text={personOf(accountId)} />,
  }
  const isByHour = rows.some((row) => row.day.length > 'YYYY-MM-DD'.length)
  const sorted = rows.toSorted((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model))
  return (
    <Ledger
      label={t`Usage by day and model`}
      columns={[isByHour ? hour : day, ...(person === null ? [] : [person]), ...columns]}
      rows={sorted}
      keyOf={(row) => `${row.day} ${row.model} ${row.accountId}`}
      narrow="scrolls"
    />
  )
}
