import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { UsageDay } from '../../../../core/usage.ts'
import type { People } from '../../../contract/people.ts'
import type { UsageReport as Report, Usage, UsageQuery, UsageReportQuery } from '../../../contract/usage.ts'
import { request } from '../../interface/request.ts'
import { serviceNow } from '../../interface/service-clock.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { bindValue } from '../../parts/fields/bind.ts'
import { Segments } from '../../parts/fields/segments.tsx'
import { BudgetFacts } from '../../parts/limits/budget-facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { colourCount, colourOf } from '../../state/model-colours.ts'
import { useResource } from '../../state/resource.ts'
import { UsageBreakdown } from './usage-breakdown.tsx'
import { UsageReport } from './usage-report.tsx'
import { lastDays, lastHours, type SeriesOf } from './usage-series.ts'

const spans = [
  { value: '1', label: t`24 hours` },
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
] as const

const groups = [
  { value: 'model', label: t`By model` },
  { value: 'person', label: t`By person` },
] as const

const ownership = [
  { value: 'me', label: t`Mine` },
  { value: 'everyone', label: t`Everyone’s` },
] as const
/** How long the usage of a new account is shown by the hour. */
const youngMs = 2 * 24 * 60 * 60 * 1000

/** Requests, tokens and images by day and model; for owners also by person. */
export function UsagePage({ account }: { account: Account }): VNode {
  // For an account made yesterday, a month would be a single bar at the end.
  const span = useSignal<'1' | '7' | '30' | '90'>(serviceNow() - account.createdAt < youngMs ? '1' : '30')
  const everyone = useSignal(false)
  const group = useSignal<'model' | 'person'>('model')
  const byHour = span.value === '1'
  const now = serviceNow()
  const hours = lastHours(now)
  // The last 24 hours span two days.
  const days = lastDays(byHour ? 2 : Number(span.value), now)
  const filter: UsageQuery = { from: days[0] ?? '', to: days.at(-1) ?? '', of: everyone.value ? 'everyone' : 'me' }
  const query = new URLSearchParams({ ...filter }).toString()
  const { resource, reload } = useResource(
    async (signal) => {
      const [usage, people] = await Promise.all([
        request<Usage>(`/console/api/usage?${query}`, { signal }),
        everyone.value ? request<People>('/console/api/people', { signal }) : null,
      ])
      const rows = byHour ? await loadHours(filter, hours, signal) : usage.days
      return { ...usage, rows, times: byHour ? hours : days, accounts: people?.accounts ?? null }
    },
    [query, byHour],
  )
  return (
    <Page
      title={t`Usage`}
      intro={byHour ? t`Counted per hour, in UTC.` : t`Counted per day, in UTC.`}
      actions={
        <>
          {account.role === 'owner' ? (
            <Segments
              label={t`Whose`}
              options={ownership}
              value={everyone.value ? 'everyone' : 'me'}
              onChange={(value) => (everyone.value = value === 'everyone')}
            />
          ) : null}
          {everyone.value ? <Segments label={t`Stacked`} options={groups} {...bindValue(group)} /> : null}
          <Segments label={t`Period`} options={spans} {...bindValue(span)} />
          <Button size="small" icon="download" href={`/console/api/usage.csv?${query}`} download>
            CSV
          </Button>
        </>
      }
    >
      <Loaded resource={resource} retry={reload}>
        {({ rows, times, budgets, accounts }) => (
          <div class="stack loose">
            <BudgetFacts budgets={budgets} />
            {rows.length > 0 ? (
              <>
                <UsageReport days={times} rows={rows} of={bySeries(group.value, accounts)} />
                <UsageBreakdown filter={filter} />
              </>
            ) : (
              <EmptyState drawing="ledger" title={t`No usage yet`}>
                <p>{t`Sepia counts chats and drawings here, never their content.`}</p>
              </EmptyState>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** Sums by hour in the format of those by day. */
async function loadHours(
  filter: Omit<UsageReportQuery, 'by'>,
  hours: readonly string[],
  signal: AbortSignal,
): Promise<readonly UsageDay[]> {
  const query = new URLSearchParams({ ...filter, by: 'account,model,hour' })
  const { rows } = await request<Report>(`/console/api/usage/report?${query}`, { signal })
  return rows.flatMap(({ keys, accountName: _, tokenName: __, latency: ___, firstToken: ____, ...sums }) => {
    const { account = '', model = '', hour = '' } = keys
    return hours.includes(hour) ? [{ ...sums, day: hour, accountId: account, model }] : []
  })
}

/** The grouping of usage: by model in the models' colours, or by person. `accounts` null = only the user's own. */
function bySeries(group: 'model' | 'person', accounts: readonly Pick<Account, 'id' | 'name'>[] | null): SeriesOf {
  const person = accounts && ((id: string) => accounts.find((account) => account.id === id)?.name ?? t`deleted account`)
  if (group === 'model' || accounts === null || person === null)
    return { key: ({ model }) => model, name: (model) => model, shade: colourOf, person }
  const places = accounts.map(({ id }) => id).toSorted()
  return { key: ({ accountId }) => accountId, name: person, shade: (id) => (places.indexOf(id) + colourCount) % colourCount, person }
}
