import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { UsageDimension } from '../../../../core/usage.ts'
import type { UsageReport, UsageReportQuery } from '../../../contract/usage.ts'
import { request } from '../../interface/request.ts'
import { dayText, hourText, moneyText, percentText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Clipped } from '../../parts/clipped.tsx'
import { durationText } from '../../parts/duration-text.ts'
import { Segments } from '../../parts/fields/segments.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useResource } from '../../state/resource.ts'

type Row = UsageReport['rows'][number]

const dimensions = [
  { value: 'token', label: t`Access token` },
  { value: 'model', label: t`Model` },
  { value: 'hour', label: t`Hour` },
  { value: 'day', label: t`Day` },
] as const satisfies readonly { readonly value: UsageDimension; readonly label: string }[]
const withPeople = [{ value: 'account', label: t`Person` }, ...dimensions] as const

/** Sums by one dimension, with costs and latencies. */
export function UsageBreakdown({ filter }: { filter: Omit<UsageReportQuery, 'by'> }): VNode {
  const by = useSignal<UsageDimension>('token')
  const chosen = filter.of === 'me' && by.value === 'account' ? 'token' : by.value
  const query = new URLSearchParams({ ...filter, by: chosen }).toString()
  const { resource, reload } = useResource((signal) => request<UsageReport>(`/console/api/usage/report?${query}`, { signal }), [query])
  return (
    <section class="stack" aria-labelledby="breakdown">
      <div class="row">
        <h2 id="breakdown">{t`By access token, model and time`}</h2>
        <Segments
          label={t`By`}
          options={filter.of === 'everyone' ? withPeople : dimensions}
          value={chosen}
          onChange={(value) => {
            by.value = value
          }}
        />
        <Button size="small" icon="download" href={`/console/api/usage/report.csv?${query}`} download about={t`of these totals`}>
          CSV
        </Button>
      </div>
      <Loaded resource={resource} retry={reload}>
        {({ rows }) => (
          <Ledger
            label={t`Usage totals`}
            columns={columnsBy(chosen, rows)}
            rows={rows}
            keyOf={(row) => row.keys[chosen] ?? ''}
            narrow="scrolls"
          />
        )}
      </Loaded>
      <p class="soft">{t`Latencies are accurate to within ${percentText(0.09)}. Hourly figures are kept for 31 days.`}</p>
    </section>
  )
}

function columnsBy(dimension: UsageDimension, rows: readonly Row[]): readonly Column<Row>[] {
  const title = withPeople.find(({ value }) => value === dimension)?.label ?? ''
  return [
    {
      title,
      kind: 'lead',
      cell: (row) => <Clipped text={nameOf(row, dimension)} />,
    },
    ...counts,
    // Without prices, nothing costs anything.
    ...(rows.some(({ cost }) => cost > 0) ? [amount(t`Money`, (row) => moneyText(row.cost))] : []),
    ...latencies,
  ]
}

function nameOf({ keys, accountName, tokenName }: Row, dimension: UsageDimension): string {
  const key = keys[dimension] ?? ''
  if (dimension === 'account') return accountName ?? key
  if (dimension === 'token') return tokenName || t`the console`
  return dimension === 'hour' ? hourText(key) : dimension === 'day' ? dayText(key) : key
}

function amount(title: string, write: (row: Row) => string): Column<Row> {
  return { title, kind: 'amount', cell: write }
}

const timeText = (ms: number | undefined) => (ms === undefined ? '–' : durationText(ms))

const counts: readonly Column<Row>[] = [
  amount(t`Requests`, (row) => wholeText(row.requests)),
  amount(t`Failed`, (row) => wholeText(row.failures)),
  amount(t`Rate-limited`, (row) => wholeText(row.refusals)),
  amount(t`Tokens`, (row) => wholeText(row.promptTokens + row.completionTokens)),
  amount(t`Images`, (row) => wholeText(row.images)),
]

const latencies: readonly Column<Row>[] = [
  amount(t`p50`, (row) => timeText(row.latency?.p50)),
  amount(t`p95`, (row) => timeText(row.latency?.p95)),
  amount(t`p99`, (row) => timeText(row.latency?.p99)),
  amount(t`Answer begins, p95`, (row) => timeText(row.firstToken?.p95)),
]
