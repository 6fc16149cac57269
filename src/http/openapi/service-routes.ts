import { scopes } from '../../core/access-token.ts'
import { modelSchema } from '../wire/service/model-answers.ts'
import { modelChoiceSchema } from '../wire/service/model-choice.ts'
import { usageSchema } from '../wire/service/usage.ts'
import { type DocumentedRoute, json, text } from './documented-route.ts'

const ofOwners = 'every one, on a token of an owner'

function loading(verb: 'load' | 'unload', summary: string, description: string): DocumentedRoute {
  return {
    method: 'post',
    path: `/models/${verb}`,
    summary,
    description,
    scopes,
    scopeRule: ofOwners,
    body: modelChoiceSchema,
    answers: [json('The model in its new state.', modelSchema)],
    refusals: [404, 413, 415, 429, 503],
  }
}

/** The routes about the service itself. */
export const serviceRoutes: readonly DocumentedRoute[] = [
  loading('load', 'Load a model into memory', 'Returns when it is loaded; the first request would load it too.'),
  loading('unload', 'Free the memory of a model', 'Returns when its running work has ended; the next request loads it again.'),
  {
    method: 'get',
    path: '/v1/usage',
    summary: "Get your account's usage and remaining budgets",
    scopes: ['read'],
    parameters: [
      ...['from', 'to'].map((name) => ({
        in: 'query' as const,
        name,
        description: 'A UTC day, itself included; the last 30 days by default.',
        schema: text,
      })),
      {
        in: 'query' as const,
        name: 'by',
        description:
          'One or more of `token`, `model`, `day`, `hour`, with commas: sums by these, with latencies. Hours are kept for 31 days.',
        schema: text,
      },
    ],
    answers: [json('Sums per day and model, or as `by` asks, and budgets.', usageSchema)],
    refusals: [429],
  },
]
