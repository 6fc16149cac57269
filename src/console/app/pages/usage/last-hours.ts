import type { UsageDay } from '../../../../core/usage.ts'
import type { UsageReport, UsageReportQuery } from '../../../contract/usage.ts'
import { request } from '../../interface/request.ts'

const hourMs = 60 * 60 * 1000

/** The last 24 hours up to and with this one, oldest first, as `2026-11-23T09`, UTC. */
export function lastHours(now: number): readonly string[] {
  return Array.from({ length: 24 }, (_, index) => new Date(now - (23 - index) * hourMs).toISOString().slice(0, 13))
}

/** Sums by hour in the shape of those by day, each hour in the place of its day. */
export async function loadHours(
  asked: Omit<UsageReportQuery, 'by'>,
  hours: readonly string[],
  signal: AbortSignal,
): Promise<readonly UsageDay[]> {
  const query = new URLSearchParams({ ...asked, by: 'account,model,hour' })
  const { rows } = await request<UsageReport>(`/console/api/usage/report?${query}`, { signal })
  return rows.flatMap(({ keys, accountName: _, tokenName: __, latency: ___, firstToken: ____, ...sums }) => {
    const { account = '', model = '', hour = '' } = keys
    return hours.includes(hour) ? [{ ...sums, day: hour, accountId: account, model }] : []
  })
}
