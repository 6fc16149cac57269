import type { Command } from '../../command.ts'
import { openService } from '../../service/open-service.ts'
import { serviceFlags, serviceSettings } from '../../service/service-flags.ts'
import { textTable } from '../../text-table.ts'

interface UsageBudget {
  readonly of: string
  readonly unit: string
  readonly per: string
  readonly limit: number
  readonly left: number
}

/** What GET /v1/usage answers. */
interface Usage {
  readonly data: readonly {
    readonly day: string
    readonly model: string
    readonly requests: number
    readonly failures: number
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly images: number
  }[]
  readonly budgets: readonly UsageBudget[]
}

function leftSentence({ of, unit, per, limit, left }: UsageBudget): string {
  const whose = of === 'token' ? ' of this token' : ''
  if (unit === 'requests') return `${left} of ${limit} requests${whose} may start now.`
  return `${left} of ${limit} ${unit}${whose} ${unit === 'money' ? 'is' : 'are'} left for this ${per}.`
}

export const showUsage: Command = {
  words: ['usage'],
  summary: 'Show what your account has used, by day and model, and what is left of its budgets.',
  flags: [
    { name: 'from', form: '<day>', help: 'The first UTC day, such as 2026-11-01; default 30 days ago.' },
    { name: 'to', form: '<day>', help: 'The last one; default today.' },
    ...serviceFlags,
  ],
  settings: serviceSettings,
  run: async (context) => {
    const { flags, signal } = context
    const query = new URLSearchParams([...flags].filter(([name]) => name === 'from' || name === 'to'))
    const service = await openService(context)
    const usage = await service.fetchJson<Usage>(`/v1/usage?${query}`, { signal })
    const rows = usage.data.map((row) => [
      row.day,
      String(row.requests),
      String(row.failures),
      String(row.prompt_tokens),
      String(row.completion_tokens),
      String(row.images),
      row.model,
    ])
    const budgets = usage.budgets.map(leftSentence)
    const table = textTable(['DAY', 'REQUESTS', 'FAILED', 'TOKENS IN', 'OUT', 'IMAGES', 'MODEL'], rows)
    return {
      text: [table || 'Nothing was used in these days.', ...budgets].join('\n'),
      heading: rows.length > 0,
      json: { days: usage.data, budgets: usage.budgets },
    }
  },
}
