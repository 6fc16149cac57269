import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { formatMoney } from '../../../../core/limits/model-price.ts'
import type { UsageDimension } from '../../../../core/usage.ts'
import type { UsageReport, UsageReportQuery } from '../../../contract/usage.ts'
import { request } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { Segments } from '../../parts/fields/segments.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useResource } from '../../state/resource.ts'

type Row = UsageReport['rows'][number]

const whole = new Intl.NumberFormat()
const dimensions = [
  { value: 'token', label: 'Token' },
  { value: 'model', label: 'Model' },
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
] as const satisfies readonly { readonly value: UsageDimension; readonly label: string }[]
const withPeople = [{ value: 'account', label: 'Person' }, ...dimensions] as const

/** Sums by one dimension, with what they cost and how long requests took. */
export function UsageBreakdown({ asked }: { asked: Omit<UsageReportQuery, 'by'> }): VNode {
  const by = useSignal<UsageDimension>('token')
  const chosen = asked.of === 'me' && by.value === 'account' ? 'token' : by.value
  const query = new URLSearchParams({ ...asked, by: chosen }).toString()
  const { resource, reload } = useResource((signal) => request<UsageReport>(`/console/api/usage/report?${query}`, { signal }), [query])
  return (
    <section class="stack" aria-labelledby="breakdown">
      <div class="row wrap">
        <h2 id="breakdown">By token, model and time</h2>
        <Segments
          label="By"
          options={asked.of === 'everyone' ? withPeople : dimensions}
          value={chosen}
          onChange={(value) => {
            by.value = value
          }}
        />
        <Button size="small" icon="download" href={`/console/api/usage/report.csv?${query}`} download>
          CSV<span class="hidden-text"> of these sums</span>
        </Button>
      </div>
      <Loaded resource={resource} retry={() => void reload()}>
        {({ rows }) => (
          <Ledger label="Usage in sums" columns={columnsBy(chosen)} rows={rows} keyOf={(row) => row.keys[chosen] ?? ''} narrow="scrolls" />
        )}
      </Loaded>
      <p class="soft">Latencies are told to within 9 %. Hours are kept for 31 days.</p>
    </section>
  )
}

function columnsBy(dimension: UsageDimension): readonly Column<Row>[] {
  const title = withPeople.find(({ value }) => value === dimension)?.label ?? ''
  return [{ title, kind: 'lead', cell: (row) => <span class="clipped">{nameOf(row, dimension)}</span> }, ...amounts]
}

function nameOf({ keys, accountName, tokenName }: Row, dimension: UsageDimension): string {
  const key = keys[dimension] ?? ''
  if (dimension === 'account') return accountName ?? key
  if (dimension === 'token') return tokenName || 'the console'
  return dimension === 'hour' ? `${key.replace('T', ' ')}:00` : key
}

function amount(title: string, write: (row: Row) => string): Column<Row> {
  return { title, kind: 'amount', cell: write }
}

const ms = (value: number | undefined) => (value === undefined ? '–' : `${whole.format(value)} ms`)

const amounts: readonly Column<Row>[] = [
  amount('Requests', (row) => whole.format(row.requests)),
  amount('Failed', (row) => whole.format(row.failures)),
  amount('Tokens', (row) => whole.format(row.promptTokens + row.completionTokens)),
  amount('Images', (row) => whole.format(row.images)),
  amount('Money', (row) => formatMoney(row.cost)),
  amount('Half within', (row) => ms(row.latency?.p50)),
  amount('95 % within', (row) => ms(row.latency?.p95)),
  amount('99 % within', (row) => ms(row.latency?.p99)),
  amount('First token, 95 %', (row) => ms(row.firstToken?.p95)),
]
