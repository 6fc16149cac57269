import Type from 'typebox'
import { limitRanges, type UseLimits } from '../core/limits/use-limits.ts'

const limit = (name: keyof UseLimits) => Type.Optional(Type.Integer({ minimum: limitRanges[name].least, maximum: limitRanges[name].most }))

/** Limits as bodies have them; one that is left out or null is lifted. */
export const limitsField = Type.Object(
  {
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
  },
  { additionalProperties: false },
)
