import Type from 'typebox'
import { type Budget, leftOf } from '../../../core/limits/budget.ts'
import { readUsageSpan, type UsageCounts, type UsageDay, type UsageDimension, usageDimensions } from '../../../core/usage.ts'
import type { ReportedUsage } from '../../../operations/report-usage.ts'
import { optional } from '../../faults/object-schema.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'

const count = Type.Integer({ minimum: 0 })
const amount = Type.Number({ minimum: 0 })

const percentile = Type.Integer({ minimum: 0 })
const percentiles = Type.Union([Type.Object({ p50: percentile, p95: percentile, p99: percentile }), Type.Null()], {
  description:
    'With `by`: percentiles of the time to the end, or to the first token, in milliseconds and to within 9 %; null when none was measured.',
})

/** Answer of GET /v1/usage. */
export const usageSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      ...optional({
        day: Type.String({ format: 'date', description: 'UTC. `by` decides which of day, hour, model and token are present.' }),
        hour: Type.String({ description: 'UTC, such as `2026-11-23T09`.' }),
        model: Type.String(),
        token: Type.String({ description: 'Its id; empty for signed-in browsers.' }),
        token_name: Type.String(),
      }),
      requests: count,
      failures: count,
      refusals: Type.Integer({
        minimum: 0,
        description: 'Requests rejected by a limit of the account or token; not counted as failures.',
      }),
      prompt_tokens: count,
      completion_tokens: count,
      images: count,
      cost: Type.Number({ minimum: 0, description: 'At the prices of that time, in your currency.' }),
      latency_ms: Type.Optional(percentiles),
      first_token_ms: Type.Optional(percentiles),
    }),
  ),
  budgets: Type.Array(
    Type.Object({
      of: Type.Enum(['account', 'token'], { description: 'Owner of the limit: the account or the access token.' }),
      unit: Type.Enum(['tokens', 'images', 'money', 'requests'], { description: '`requests` are those running at once.' }),
      per: Type.Enum(['moment', 'minute', 'day', 'month']),
      limit: amount,
      used: Type.Number({ minimum: 0, description: 'By what has ended.' }),
      reserved: Type.Number({ minimum: 0, description: 'By what runs, and for a day or a month by what waits.' }),
      left: amount,
    }),
    { description: 'The limits that an owner has set; empty if none.' },
  ),
})

/** Money is counted in millionths. */
const million = 1_000_000

/** The usage of an account, and what is left of its budgets. */
export function encodeUsage(days: readonly UsageDay[], budgets: readonly Budget[]): Answer<typeof usageSchema> {
  return {
    object: 'list',
    data: days.map(({ day, model, ...sums }) => ({ day, model, ...encodeSums(sums) })),
    budgets: budgets.map((budget) => {
      const { of, unit, per, limit, used, reserved } = budget
      const inUnits = (value: number) => (unit === 'money' ? value / million : value)
      return { of, unit, per, limit: inUnits(limit), used: inUnits(used), reserved: inUnits(reserved), left: inUnits(leftOf(budget)) }
    }),
  }
}

/** The usage of an account by the requested dimensions, and what is left of its budgets. */
export function encodeUsageReport(rows: readonly ReportedUsage[], budgets: readonly Budget[]): Answer<typeof usageSchema> {
  return {
    ...encodeUsage([], budgets),
    data: rows.map(({ keys: { account: _, ...keys }, tokenName, latency, firstToken, ...sums }) => ({
      ...keys,
      token_name: tokenName,
      ...encodeSums(sums),
      latency_ms: latency,
      first_token_ms: firstToken,
    })),
  }
}

function encodeSums({ requests, failures, refusals, promptTokens, completionTokens, images, cost }: UsageCounts) {
  return { requests, failures, refusals, prompt_tokens: promptTokens, completion_tokens: completionTokens, images, cost: cost / million }
}

/** Dimensions of the account's own sums. */
const dimensions = usageDimensions.filter((dimension) => dimension !== 'account')

/**
 * Reads the dimensions of a query; null = none given.
 *
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readUsageDimensions({ by }: Readonly<Record<string, unknown>>): readonly UsageDimension[] | null {
  if (by === undefined) return null
  const wanted = typeof by === 'string' ? by.split(',') : []
  const known = dimensions.filter((dimension) => wanted.includes(dimension))
  if (known.length > 0 && known.length === wanted.length) return known
  throw queryFault('by', `must be one or more of ${dimensions.join(', ')}, separated by commas.`)
}

/**
 * Reads the days of a query, both inclusive; the last 30 by default.
 *
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readUsageQuery(
  { from, to }: Readonly<Record<string, unknown>>,
  now: number,
): { readonly from: string; readonly to: string } {
  return readUsageSpan({ from, to }, { now, code: 'invalid_request_error' })
}
