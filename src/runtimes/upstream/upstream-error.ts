import { ServiceError } from '../../core/error.ts'
import { proxyFaultIn } from '../../core/outgoing/forward-proxies.ts'
import type { PromptField } from '../../core/text-generation.ts'
import { readFault, type ServerFault } from './server-fault.ts'

/** Default retry delay for a busy upstream that names none, in seconds. */
const defaultRetrySeconds = 1
const longestRetrySeconds = 120

/** Statuses of a proxy whose server has not answered; the server may be working all the same. */
const proxyGaveUp: readonly (number | undefined)[] = [undefined, 502, 504, 524]

/** What is known of a failure. */
interface FaultFacts {
  /** Whether no connection could be made, so that the upstream has not seen the request. */
  readonly outOfReach: boolean
  /** Whether a time limit was exceeded. */
  readonly isLate: boolean
  /** Status of the response; undefined = none, or an incomplete one. */
  readonly status: number | undefined
  /** Whether the server itself reported the error, so that it is up. */
  readonly isReported: boolean
}

/** Failure of an upstream. */
class UpstreamFault extends Error {
  readonly facts: FaultFacts
  readonly #reason: string

  constructor(reason: string, { cause, ...known }: Partial<FaultFacts> & { readonly cause?: unknown } = {}) {
    super(`The upstream ${reason}.`, { cause })
    const { outOfReach = false, isLate = false, status, isReported = status !== undefined && !proxyGaveUp.includes(status) } = known
    this.facts = { outOfReach, isLate, status, isReported }
    this.#reason = reason
  }

  /** The same for an upstream behind a proxy. */
  behind(proxy: string): UpstreamFault {
    return new UpstreamFault(`${this.#reason} (over the proxy ${proxy})`, { ...this.facts, cause: this.cause })
  }
}

/** The failure of an upstream that caused an error; undefined for any other error. */
function faultOf(error: unknown): UpstreamFault | undefined {
  return error instanceof ServiceError && error.cause instanceof UpstreamFault ? error.cause : undefined
}

/** Whether no connection to the upstream could be made. */
export function isOutOfReach(error: unknown): error is ServiceError {
  return faultOf(error)?.facts.outOfReach === true
}

/** Whether a proxy reports that its server is down. A 504 may come from a server that is working. */
export function isServerUnavailable(error: unknown): error is ServiceError {
  return statusOf(error) === 502
}

/** The same error, marked as having never reached the upstream. */
export function makeNotStartedError({ code, message, cause }: ServiceError): ServiceError {
  return new ServiceError(code, message, { cause, isNotStarted: true })
}

/** The same error, marked as begun before the upstream disappeared, so that the request may be the cause. */
export function makeBegunError({ code, message, cause }: ServiceError): ServiceError {
  return new ServiceError(code, message, { cause })
}

/** Status of an upstream's own failure; undefined for any other error. */
export function statusOf(error: unknown): number | undefined {
  return faultOf(error)?.facts.status
}

/** Whether the upstream may still be working on the failed request: it has received it and not answered. */
export function mayStillWork(error: unknown): boolean {
  const facts = faultOf(error)?.facts
  return facts !== undefined && !facts.outOfReach && proxyGaveUp.includes(facts.status)
}

/** Adds the proxy's name to an upstream's failure, unless its cause names the proxy already. */
export function nameProxy(error: unknown, route: { readonly proxy: string } | null): unknown {
  const fault = faultOf(error)
  if (route === null || !(error instanceof ServiceError) || fault === undefined || proxyFaultIn(error)) return error
  const { code, message, isNotStarted } = error
  return new ServiceError(code, message, { cause: fault.behind(route.proxy), isNotStarted })
}

/** No connection to the upstream could be made. */
export function makeOutOfReachError(cause: unknown): ServiceError {
  return makeFailure(new UpstreamFault(`cannot be reached${hintAtReach(cause)}`, { cause, outOfReach: true }))
}

/** The upstream took longer than its `model.json` allows. */
export function makeLateError(field: 'connect' | 'first' | 'idle', limitMs: number): ServiceError {
  const seconds = limitMs / 1000
  const did = {
    connect: `accepted no connection within ${seconds} s`,
    first: `did not begin to answer within ${seconds} s`,
    idle: `sent nothing for ${seconds} s`,
  }
  const reason = `${did[field]}; raise \`timeouts.${field}\` in the model's model.json if it needs longer`
  return makeFailure(
    new UpstreamFault(reason, { outOfReach: field === 'connect', isLate: true }),
    'The server of this model took too long to answer; try again, and report it to the operator if it happens twice.',
  )
}

/** Whether the upstream exceeded a time limit. */
export function isLate(error: unknown): boolean {
  return faultOf(error)?.facts.isLate === true
}

/** Error of a failed upstream; the reason goes to the log. */
export function makeBrokenError(reason: string, cause?: unknown): ServiceError {
  return makeFailure(new UpstreamFault(reason, { cause }))
}

/** Error that the upstream itself reported; the reason goes to the log. */
export function makeReportedError(reason: string): ServiceError {
  return makeFailure(new UpstreamFault(reason, { isReported: true }))
}

/** Reads an upstream's data of unknown shape. @throws {ServiceError} `inference_failed` if the shape is wrong. */
export function readShaped<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw makeBrokenError('sent an answer in an unexpected format', cause)
  }
}

function makeFailure(
  error: UpstreamFault,
  message = 'The model failed on this request; try again, and report it to the operator if it happens twice.',
): ServiceError {
  return new ServiceError('inference_failed', message, {
    cause: error,
    isNotStarted: error.facts.outOfReach,
    isEngineAlive: error.facts.isReported,
  })
}

/** Messages for a prompt that is too long: of vLLM, SGLang, llama-server, TGI, LM Studio, OpenAI and Anthropic. */
const tooLong =
  /context.?(?:length|limit|size|window)|maximum (?:context|model length)|prompt is too long|must have less than \d+ tokens|`inputs` tokens/i

/**
 * Converts a response other than 2xx to an error for the client.
 *
 * @param where.address The requested address, for the log; absent = not logged.
 * @param where.advice For the operator; absent = by status.
 */
export function makeAnswerError(
  status: number,
  body: string,
  retryAfter: string | undefined,
  { address, advice }: { readonly address?: string; readonly advice?: string | undefined } = {},
): ServiceError {
  if (wantsTls(body)) return makeBrokenError('uses TLS; write https:// in `url` of its model.json')
  const fault = readFault(parseBody(body))
  const at = address === undefined ? '' : ` at ${address}`
  // The body is not kept: it may repeat the prompt.
  return (
    makeFaultError(status, fault, retryAfter) ??
    makeFailure(
      new UpstreamFault(
        `answered ${status}${fault.code === String(status) ? '' : named(fault)}${at}${advice ?? hintAtStatus(hasNoCredit(fault) ? 402 : status)}`,
        { status },
      ),
    )
  )
}

/** The same for an error in a stream, which began before the server had checked the request. */
export function makeEventError(event: unknown): ServiceError {
  const fault = readFault(event)
  // LM Studio sends no status.
  const status = fault.status ?? (tooLong.test(fault.message) ? 400 : 500)
  // It also answers 200 for an unknown route.
  const hint = fault.message.startsWith('Unexpected endpoint') ? hintAtStatus(404) : ''
  return makeFaultError(status, fault, undefined) ?? makeReportedError(`reported an error in its answer${named(fault)}${hint}`)
}

/** Adds the field that holds the prompt to an error of a prompt that is too long. */
export function nameTooLong(error: unknown, param: PromptField): unknown {
  const isTooLong = error instanceof ServiceError && error.code === 'context_length_exceeded'
  return isTooLong ? new ServiceError(error.code, error.message, { param }) : error
}

/** Undefined if the server is the cause. */
function makeFaultError(status: number, { message, code }: ServerFault, retryAfter: string | undefined): ServiceError | undefined {
  const refused = status === 400 || status === 413 || status === 422
  if (refused && tooLong.test(`${code} ${message}`))
    return new ServiceError('context_length_exceeded', message || 'The prompt does not fit the context; shorten it.')
  if (status === 413 && message === '')
    return new ServiceError('invalid_request_error', 'This request is too large for the server of this model; shorten it.')
  if (refused) return new ServiceError('invalid_request_error', message || 'The model rejected this request; change its parameters.')
  if ((status !== 429 && status !== 503 && status !== 529) || hasNoCredit({ code })) return undefined
  const retryAfterSeconds = Math.min(longestRetrySeconds, Math.max(1, secondsOf(retryAfter)))
  return new ServiceError('server_is_overloaded', `The model is busy; try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}

/** OpenAI answers 429 to a key whose account has no credit, which no pause changes. */
function hasNoCredit({ code }: Pick<ServerFault, 'code'>): boolean {
  return code === 'insufficient_quota'
}

/** A delay in seconds, or the date at which it ends. */
function secondsOf(retryAfter = ''): number {
  const seconds = Number.parseInt(retryAfter, 10)
  if (!Number.isNaN(seconds)) return seconds
  const until = Date.parse(retryAfter)
  return Number.isNaN(until) ? defaultRetrySeconds : Math.ceil((until - Date.now()) / 1000)
}

function named({ code }: ServerFault): string {
  return code === '' ? '' : ` (${code.slice(0, 40)})`
}

/** The body of an error. Some servers send a line of text instead of JSON, such as TEI for a body of the wrong shape; pages are not read. */
function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    const [line = ''] = body.trim().split('\n', 1)
    return /^[<{[]/.test(line) ? undefined : { message: line.trim() }
  }
}

/** Advice for the operator, by status of a response. */
const byStatus: Readonly<Record<number, string>> = {
  402: ': the account of its key has no credit left there',
  401: ': that server needs a key, or another one; write it into the file that `keyFile` in its model.json names',
  403: ': the key in `keyFile` of its model.json has no permission for this',
  404: ': `url` or `model` in its model.json does not match that server',
  501: ': that server was not started for this; start llama-server with `--embeddings` for vectors or `--reranking` for scores',
}

const vouching = ': its certificate is not trusted; set the environment variable NODE_EXTRA_CA_CERTS to the file of its authority'

/** Advice for the operator, by code of a failed connection. */
const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: ': nothing listens there; start it, or correct `url` in its model.json',
  ENOTFOUND: ': this host name does not exist; correct `url` in its model.json',
  DEPTH_ZERO_SELF_SIGNED_CERT: vouching,
  SELF_SIGNED_CERT_IN_CHAIN: vouching,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: vouching,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: vouching,
}

/** The field of `model.json` that a status usually points to, if any. */
function hintAtStatus(status: number): string {
  return byStatus[status] ?? (status >= 300 && status < 400 ? ': `url` in its model.json redirects; use the address it redirects to' : '')
}

/** Advice for a failed connection; empty if the reason is enough. */
function hintAtReach(cause: unknown): string {
  if (!(cause instanceof Error) || !('code' in cause)) return ''
  // OpenSSL's error for a response without TLS.
  if (cause.code === 'EPROTO' && /wrong version number/.test(cause.message))
    return ': it does not use TLS; write http:// in `url` of its model.json'
  return byCode[String(cause.code)] ?? ''
}

/** Whether a server rejects a request because it came without TLS, as nginx and Go word it. */
function wantsTls(body: string): boolean {
  return /HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)/.test(body)
}
