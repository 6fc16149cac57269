import type { VNode } from 'preact'
import type { UsageDay } from '../../../../core/usage.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Facts } from '../../parts/facts.tsx'
import { StackedBars } from './stacked-bars.tsx'
import { type SeriesOf, usageSeries } from './usage-series.ts'
import { UsageTable } from './usage-table.tsx'

/** The sums, three charts, and the same numbers as a table. */
export function UsageReport({ days, rows, of }: { days: readonly string[]; rows: readonly UsageDay[]; of: SeriesOf }): VNode {
  const total = (count: (row: UsageDay) => number) => wholeText(rows.reduce((sum, row) => sum + count(row), 0))
  return (
    <div class="stack loose">
      <Facts
        class="sheet facts large"
        of={[
          [t`Requests`, total((row) => row.requests)],
          [t`Failed`, total((row) => row.failures)],
          [t`Rate-limited`, total((row) => row.refusals)],
          [t`Tokens in`, total((row) => row.promptTokens)],
          [t`Tokens out`, total((row) => row.completionTokens)],
          [t`Images`, total((row) => row.images)],
        ]}
      />
      <StackedBars title={t`Requests`} days={days} series={usageSeries(days, rows, (row) => row.requests, of)} />
      <StackedBars
        title={t`Tokens in and out`}
        days={days}
        series={usageSeries(days, rows, (row) => row.promptTokens + row.completionTokens, of)}
      />
      <StackedBars title={t`Images`} days={days} series={usageSeries(days, rows, (row) => row.images, of)} />
      <UsageTable rows={rows} personOf={of.person} />
    </div>
  )
}
