import { ServiceError } from '../../core/error.ts'
import type { EngineFailure } from './engine-messages.ts'

/** The transferable form of anything an engine throws; what is no ServiceError means that the engine broke. */
export function packFailure(error: unknown): EngineFailure {
  if (error instanceof ServiceError) {
    const { code, message, param, retryAfterSeconds, faults, cause } = error
    return { code, message, param, retryAfterSeconds, faults, cause: cause === undefined ? undefined : describe(cause) }
  }
  const message = 'The model failed on this request; try again, and report it to the operator if it happens twice.'
  return { code: 'inference_failed', message, param: undefined, retryAfterSeconds: undefined, faults: [], cause: describe(error) }
}

/** The error that {@link packFailure} took apart in the other process. */
export function unpackFailure({ code, message, ...options }: EngineFailure): ServiceError {
  return new ServiceError(code, message, options)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** For an engine that answers a call with what belongs to another; `requested` names what was wanted. */
export function somethingElse(requested: string): ServiceError {
  return new ServiceError('inference_failed', `The model did not answer with ${requested}; send the request again.`)
}
