import type { VNode } from 'preact'
import type { UsageDay } from '../../../../core/usage.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { StackedBars } from './stacked-bars.tsx'
import { type SeriesOf, usageSeries } from './usage-series.ts'
import { UsageTable } from './usage-table.tsx'

/** The sums, three charts, and the same numbers as a table. */
export function UsageReport({ days, rows, of }: { days: readonly string[]; rows: readonly UsageDay[]; of: SeriesOf }): VNode {
  const total = (count: (row: UsageDay) => number) => wholeText(rows.reduce((sum, row) => sum + count(row), 0))
  return (
    <div class="stack loose">
      <dl class="sheet facts large">
        <Total term={t`Requests`} value={total((row) => row.requests)} />
        <Total term={t`Failed`} value={total((row) => row.failures)} />
        <Total term={t`Rate-limited`} value={total((row) => row.refusals)} />
        <Total term={t`Tokens read`} value={total((row) => row.promptTokens)} />
        <Total term={t`Tokens written`} value={total((row) => row.completionTokens)} />
        <Total term={t`Images`} value={total((row) => row.images)} />
      </dl>
      <StackedBars title={t`Requests`} days={days} series={usageSeries(days, rows, (row) => row.requests, of)} />
      <StackedBars
        title={t`Tokens, read and written`}
        days={days}
        series={usageSeries(days, rows, (row) => row.promptTokens + row.completionTokens, of)}
      />
      <StackedBars title={t`Images`} days={days} series={usageSeries(days, rows, (row) => row.images, of)} />
      <UsageTable rows={rows} personOf={of.person} />
    </div>
  )
}

function Total({ term, value }: { term: string; value: string }): VNode {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  )
}
