import Type from 'typebox'
import { type AccountLimits, limitRanges } from '../core/limits/use-limits.ts'

const limit = (name: keyof AccountLimits) =>
  Type.Optional(Type.Integer({ minimum: limitRanges[name].least, maximum: limitRanges[name].most }))

const useLimits = {
  requestsPerMinute: limit('requestsPerMinute'),
  tokensPerMinute: limit('tokensPerMinute'),
  imagesPerMinute: limit('imagesPerMinute'),
  concurrentRequests: limit('concurrentRequests'),
  tokensPerDay: limit('tokensPerDay'),
  imagesPerDay: limit('imagesPerDay'),
  moneyPerDay: limit('moneyPerDay'),
  tokensPerMonth: limit('tokensPerMonth'),
  imagesPerMonth: limit('imagesPerMonth'),
  moneyPerMonth: limit('moneyPerMonth'),
}

/** Limits of a token; an absent or null limit is removed. */
export const tokenLimitsField = Type.Object(useLimits, { additionalProperties: false })

/** Limits of an account; an absent or null limit is removed. */
export const accountLimitsField = Type.Object(
  {
    ...useLimits,
    weight: limit('weight'),
    pendingRequests: limit('pendingRequests'),
    openStreams: limit('openStreams'),
    storedBytes: limit('storedBytes'),
  },
  { additionalProperties: false },
)
