import { csv } from '../../../core/text/csv.ts'
import type { Command } from '../../command.ts'
import { textTable } from '../../printed-text.ts'
import { serviceCommand } from '../../service/open-service.ts'

interface UsageBudget {
  readonly of: string
  readonly unit: string
  readonly per: string
  readonly limit: number
  readonly left: number
}

interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

interface UsageRow {
  readonly day?: string
  readonly hour?: string
  readonly model?: string
  readonly token?: string
  readonly token_name?: string
  readonly requests: number
  readonly failures: number
  readonly refusals: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly images: number
  readonly cost: number
  readonly latency_ms?: Percentiles | null
  readonly first_token_ms?: Percentiles | null
}

/** Response of GET /v1/usage. */
interface Usage {
  readonly data: readonly UsageRow[]
  readonly budgets: readonly UsageBudget[]
}

function leftSentence({ of, unit, per, limit, left }: UsageBudget): string {
  const whose = of === 'token' ? ' of this token' : ''
  if (unit === 'requests') return `${left} of ${limit} requests${whose} may start now.`
  return `${left} of ${limit} ${unit}${whose} ${unit === 'money' ? 'is' : 'are'} left for this ${per}.`
}

/** Flattens a row for spreadsheets. */
function csvFields({ latency_ms: latency, first_token_ms: first, ...row }: UsageRow): Readonly<Record<string, string | number | null>> {
  const fieldsOf = (name: string, of: Percentiles | null) => ({
    [`${name}p50_ms`]: of?.p50 ?? null,
    [`${name}p95_ms`]: of?.p95 ?? null,
    [`${name}p99_ms`]: of?.p99 ?? null,
  })
  return { ...row, ...(latency !== undefined && fieldsOf('', latency)), ...(first !== undefined && fieldsOf('first_token_', first)) }
}

function toCsv(rows: readonly UsageRow[]): string {
  const fields = rows.map(csvFields)
  const names = Object.keys(fields[0] ?? {})
  return csv([names, ...fields.map((row) => names.map((name) => row[name] ?? null))])
    .replaceAll('\r\n', '\n')
    .trimEnd()
}

const keyTitles = [
  ['day', 'DAY'],
  ['hour', 'HOUR'],
  ['token_name', 'TOKEN'],
] as const

function toTable(rows: readonly UsageRow[]): string {
  const keys = keyTitles.filter(([name]) => rows[0]?.[name] !== undefined)
  const timed = rows[0]?.latency_ms !== undefined
  const named = rows[0]?.model !== undefined
  const head = [
    ...keys.map(([, title]) => title),
    'REQUESTS',
    'FAILED',
    'REJECTED',
    'TOKENS IN',
    'OUT',
    'IMAGES',
    ...(timed ? ['P50 MS', 'P95 MS'] : []),
  ]
  const body = rows.map((row) => [
    ...keys.map(([name]) => row[name] || '(console)'),
    ...[row.requests, row.failures, row.refusals, row.prompt_tokens, row.completion_tokens, row.images].map(String),
    ...(timed ? [String(row.latency_ms?.p50 ?? ''), String(row.latency_ms?.p95 ?? '')] : []),
    ...(named ? [row.model ?? ''] : []),
  ])
  return textTable([...head, ...(named ? ['MODEL'] : [])], body)
}

export const showUsage: Command = serviceCommand({
  words: ['usage'],
  summary: 'Show the usage of your account by day and model, and what is left of its limits.',
  flags: [
    { name: 'from', form: '<day>', help: 'The first UTC day, such as 2026-11-01; default 30 days ago.' },
    { name: 'to', form: '<day>', help: 'The last UTC day; default today.' },
    { name: 'by', form: '<words>', help: 'Group by token, model, day or hour, or by several, separated by commas; adds latencies.' },
    { name: 'csv', form: null, help: 'Print a table for spreadsheets.' },
  ],
  run: async (service, { flags, signal }) => {
    const query = new URLSearchParams([...flags].filter(([name]) => ['from', 'to', 'by'].includes(name)))
    const usage = await service.fetchJson<Usage>(`/v1/usage?${query}`, { signal })
    const json = { [flags.has('by') ? 'rows' : 'days']: usage.data, budgets: usage.budgets }
    if (flags.has('csv')) return { text: toCsv(usage.data), json }
    const table = usage.data.length === 0 ? 'Nothing was used in these days.' : toTable(usage.data)
    return { text: [table, ...usage.budgets.map(leftSentence)].join('\n'), heading: usage.data.length > 0, json }
  },
})
