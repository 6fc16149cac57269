import { ServiceError } from '../../core/error.ts'
import { readFault, type ServerFault } from './server-fault.ts'

/** How long to stay away from an upstream that is busy and does not say. */
const defaultRetrySeconds = 1
const longestRetrySeconds = 120

/** Why an upstream did not do its part. */
class UpstreamFault extends Error {
  /** Whether no connection to it could be made, so that it has not seen the request. */
  readonly outOfReach: boolean

  constructor(reason: string, { cause, outOfReach = false }: { readonly cause?: unknown; readonly outOfReach?: boolean }) {
    super(`The upstream ${reason}.`, { cause })
    this.outOfReach = outOfReach
  }
}

/** Whether an error says that no connection to the upstream could be made. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof UpstreamFault && error.cause.outOfReach
}

/** No connection to the upstream could be made. */
export function makeOutOfReachError(cause: unknown): ServiceError {
  return makeFailure(new UpstreamFault('cannot be reached', { cause, outOfReach: true }))
}

/** The upstream did not do its part; the reason is for the log. */
export function makeBrokenError(reason: string, cause?: unknown): ServiceError {
  return makeFailure(new UpstreamFault(reason, { cause }))
}

/** Reads what the upstream sent, of which nobody promised the shape. @throws {ServiceError} `inference_failed` where it has another. */
export function readShaped<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw makeBrokenError('sent something of another shape than its interface has', cause)
  }
}

function makeFailure(error: UpstreamFault): ServiceError {
  return new ServiceError('inference_failed', 'The model failed on this request; try again, and tell the operator if it happens twice.', {
    cause: error,
  })
}

/** Where servers say that a prompt is too long: vLLM, SGLang, llama-server, TGI, LM Studio, OpenAI and Anthropic each in words of their own. */
const tooLong =
  /context.?(?:length|limit|size|window)|maximum (?:context|model length)|prompt is too long|must have less than \d+ tokens|`inputs` tokens/i

/** What an answer other than 2xx means to our caller, whose fault it may or may not be. */
export function makeAnswerError(status: number, body: string, retryAfter: string | undefined): ServiceError {
  const fault = readFault(parseBody(body))
  // The text of the answer is not kept: it may repeat what was asked.
  return makeFaultError(status, fault, retryAfter) ?? makeBrokenError(`answered ${status}${named(fault)}${hintAt(status)}`)
}

/** Which field of the `model.json` a status is mostly the fault of, for the log. */
function hintAt(status: number): string {
  if (status === 404) return ': `url` or `model` in its model.json is not as that server has it'
  if (status === 401 || status === 403) return ': `keyFile` in its model.json holds no key that it takes'
  return status >= 300 && status < 400 ? ': `url` in its model.json is not where it is' : ''
}

/** The same of an error that comes as an event of a stream, which began before the server looked at the request. */
export function makeEventError(event: unknown): ServiceError {
  const fault = readFault(event)
  // LM Studio tells no status.
  const status = fault.status ?? (tooLong.test(fault.message) ? 400 : 500)
  return makeFaultError(status, fault, undefined) ?? makeBrokenError(`reported an error in its stream${named(fault)}`)
}

/** Undefined where it is the server's fault. */
function makeFaultError(status: number, { message, code }: ServerFault, retryAfter: string | undefined): ServiceError | undefined {
  const refused = status === 400 || status === 413 || status === 422
  if (refused && tooLong.test(`${code} ${message}`))
    return new ServiceError('context_length_exceeded', message || 'The prompt does not fit the context; shorten it.', { param: 'messages' })
  if (refused) return new ServiceError('invalid_request_error', message || 'The model refuses this request; change its parameters.')
  if (status !== 429 && status !== 503 && status !== 529) return undefined
  const retryAfterSeconds = Math.min(longestRetrySeconds, Math.max(1, secondsOf(retryAfter)))
  return new ServiceError('server_is_overloaded', `The model is busy; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}

/** A pause is told in seconds, or as the time when it is over. */
function secondsOf(retryAfter = ''): number {
  const seconds = Number.parseInt(retryAfter, 10)
  if (!Number.isNaN(seconds)) return seconds
  const until = Date.parse(retryAfter)
  return Number.isNaN(until) ? defaultRetrySeconds : Math.ceil((until - Date.now()) / 1000)
}

function named({ code }: ServerFault): string {
  return code === '' ? '' : ` (${code.slice(0, 40)})`
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
