import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../../core/error.ts'
import type { JsonObject, JsonValue } from '../../../core/json-value.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { emptyResult } from '../../../operations/collect-text.ts'
import { findInference } from '../../../operations/deferred/inferences.ts'
import { openOutput, readWritten } from '../../../operations/deferred/outputs.ts'
import { changeAnswer, findAnswer, isFull, keepAnswer, requireRoom, warningOfKeeping } from '../../../operations/kept/kept-answers.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import { newId } from '../../wire/answer.ts'
import { readStoredChat } from '../../wire/chat/chat-completion.ts'
import type { InputItem } from '../../wire/responses/input-items.ts'
import { pictureCharacters } from '../../wire/responses/read-items.ts'
import { encodeFailed, encodeFinished, encodeResponse, type ResponseHead } from '../../wire/responses/response.ts'
import { inputItems, type ResponseBody } from '../../wire/responses/response-request.ts'

/** A stored response. */
export interface KeptResponse {
  readonly response: JsonObject
  /** The input items of its request, each with an id. */
  readonly input: readonly InputItem[]
  /** The other fields of its request. */
  readonly body: ResponseBody
  /** The deferred inference that writes it; null when it is finished or ran interactively. */
  readonly inference: string | null
}

/** An account and its response. */
export interface ResponseTarget {
  readonly accountId: string
  readonly id: string
}

const kind = 'response'

/** The most previous responses that a conversation may consist of. */
const maxTurns = 1000

/**
 * Checks that an account has room for the response to a body, at least for an empty one.
 *
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function requireResponseRoom(
  deps: RouteDependencies,
  accountId: string,
  { head, body }: { readonly head: ResponseHead; readonly body: ResponseBody },
  options: Abortable,
): Promise<void> {
  const response = encodeFinished(head, body, emptyResult)
  await requireRoom(deps, { accountId, value: encodeKept({ response, body, inference: null }) }, options)
}

/** Stores a finished response. If the account has no room left, returns it marked as not stored: its work is paid for. */
export async function keepFinished(
  deps: RouteDependencies,
  target: ResponseTarget,
  { response, body }: Pick<KeptResponse, 'response' | 'body'>,
  options: Abortable,
): Promise<JsonObject> {
  const warning = await warningOfKeeping(keepResponse(deps, target, { response, body, inference: null }, options))
  if (warning === null) return response
  const { warnings } = response
  return { ...response, store: false, warnings: [...(Array.isArray(warnings) ? warnings : []), warning] }
}

/**
 * Stores a response.
 *
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function keepResponse(
  deps: RouteDependencies,
  target: ResponseTarget,
  kept: Omit<KeptResponse, 'input'>,
  options: Abortable,
): Promise<void> {
  await keepAnswer(deps, { kind, ...target, value: encodeKept(kept) }, options)
}

function encodeKept({ response, body, inference }: Omit<KeptResponse, 'input'>): JsonObject {
  return { response, input: inputItems(body).map(named), body: { ...body, input: '' }, inference } as unknown as JsonObject
}

const prefixes = { message: 'msg', function_call: 'fc', function_call_output: 'fco', reasoning: 'rs' } as const

function named(item: { readonly type?: keyof typeof prefixes; readonly id?: string }): object {
  return { ...item, id: item.id ?? newId(`${prefixes[item.type ?? 'message']}_`), type: item.type ?? 'message' }
}

/**
 * A stored response in its current state.
 *
 * @throws {ServiceError} `not_found`.
 */
export async function findResponse(deps: RouteDependencies, target: ResponseTarget, options: Abortable): Promise<KeptResponse> {
  const kept = readKept((await findAnswer(deps, { kind, ...target }, options)).value)
  if (kept.inference === null) return kept
  const response = await followInference(deps, { ...kept, inference: kept.inference }, target, options)
  if (response.status === 'queued' || response.status === 'in_progress') return { ...kept, response }
  const finished = { response, inference: null }
  // Written down when finished, so that its items keep their ids.
  const change = (known: JsonObject): JsonObject => (known.inference === null ? known : { ...known, ...finished })
  try {
    return readKept(await changeAnswer(deps, { kind, ...target }, change, options))
  } catch (error) {
    // Reading needs no room: in a full account, each read encodes the stored output again.
    if (isFull(error)) return { ...kept, ...finished }
    throw error
  }
}

async function followInference(
  deps: RouteDependencies,
  { response, body, inference: id }: KeptResponse & { readonly inference: string },
  { accountId }: ResponseTarget,
  options: Abortable,
): Promise<JsonObject> {
  const head: ResponseHead = { id: String(response.id), created: Number(response.created_at) }
  const inference = await findInference(deps, { id, accountId }, options)
  if (inference.status === 'pending') return encodeResponse(head, body, { status: 'queued' })
  if (inference.status === 'running') return encodeResponse(head, body, { status: 'in_progress' })
  if (inference.outcome === 'cancelled') return encodeResponse(head, body, { status: 'cancelled' })
  if (inference.error !== null) {
    const written = await readWritten(deps, inference, options)
    return encodeFailed(head, body, { error: inference.error, written: written === null ? null : readStoredChat(written) })
  }
  const { chunks } = await openOutput(deps, { id, accountId }, options)
  return encodeFinished(head, body, readStoredChat(Buffer.concat(await Array.fromAsync(chunks)).toString('utf8')))
}

/**
 * Every item before a response that continues another, oldest first.
 *
 * @param onBytes Receives the bytes read so far, to stop at more than any model can hold.
 * @throws {ServiceError} `invalid_request_error` when one of the responses is missing or unfinished, or there are too many.
 */
export async function itemsBefore(
  deps: RouteDependencies,
  { accountId, previous }: { readonly accountId: string; readonly previous: string | undefined },
  onBytes: (bytes: number) => void,
  options: Abortable,
): Promise<readonly InputItem[]> {
  const turns: (readonly InputItem[])[] = []
  let bytes = 0
  for (let id = previous; id !== undefined; ) {
    if (turns.length >= maxTurns) throw refuse(`goes back over more than ${maxTurns} responses; send the conversation as \`input\`.`)
    if (!isResponseId(id)) throw refuse(unknownResponse)
    const { response, input, body } = await findResponse(deps, { accountId, id }, options).catch(nameField)
    if (response.status !== 'completed' && response.status !== 'incomplete')
      throw refuse(`is ${String(response.status)}: only a finished response can be continued.`)
    const items = [...input, ...(response.output as unknown as readonly InputItem[])]
    turns.unshift(items)
    bytes += Buffer.byteLength(JSON.stringify(items)) - pictureCharacters(items)
    onBytes(bytes)
    id = body.previous_response_id
    // Its pictures are not counted, so a response may have many megabytes: other requests get their turn.
    await setImmediate()
    options.signal.throwIfAborted()
  }
  return turns.flat()
}

const unknownResponse = 'names a response that this service does not have, or no longer: send the conversation as `input`.'

/** Whether a text can be the id of a response. Other services write theirs differently. */
export function isResponseId(text: string): boolean {
  return /^resp_[0-9a-f]{32}$/.test(text)
}

function nameField(error: unknown): never {
  throw error instanceof ServiceError && error.code === 'not_found' ? refuse(unknownResponse) : error
}

function refuse(text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`previous_response_id\` ${text}`, { param: 'previous_response_id' })
}

/** Only this file writes documents of this kind, so their shape is known. */
function readKept(value: JsonValue): KeptResponse {
  return value as unknown as KeptResponse
}
