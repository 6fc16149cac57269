import { ServiceError } from '../core/error.ts'
import type { Refusal } from './residency-decision.ts'

/** The error a refused caller gets. */
export function makeRefusalError(
  modelId: string,
  { because, retryAfterSeconds }: Refusal & { readonly because: Exclude<Refusal['because'], 'too-large' | 'still-loading'> },
  cause: unknown,
): ServiceError {
  const again = `try again in ${retryAfterSeconds} s.`
  switch (because) {
    case 'queue-full':
      return new ServiceError('server_is_overloaded', `Too many requests wait for the model ${modelId}; ${again}`, { retryAfterSeconds })
    case 'share-full':
      return new ServiceError(
        'concurrency_limit_exceeded',
        `As many requests of this account wait for the model ${modelId} as may (its share of the queue, account-share); ${again}`,
        { retryAfterSeconds },
      )
    case 'waited-too-long':
      return new ServiceError('server_is_overloaded', `The model ${modelId} had no time for this request; ${again}`, { retryAfterSeconds })
    case 'backing-off':
      return new ServiceError('model_loading', `The model ${modelId} stopped or could not be loaded (the log says why); ${again}`, {
        retryAfterSeconds,
        cause,
      })
    case 'unloadable':
      return new ServiceError(
        'inference_failed',
        `The model ${modelId} cannot be loaded (the log says why); tell the operator, or use another.`,
        {
          retryAfterSeconds,
          cause,
        },
      )
    case 'closing':
      return new ServiceError('shutting_down', 'The service is stopping; try again when it is back.', { retryAfterSeconds })
  }
}
