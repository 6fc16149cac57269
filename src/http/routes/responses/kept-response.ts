import { ServiceError } from '../../../core/error.ts'
import type { JsonObject, JsonValue } from '../../../core/json-value.ts'
import { findInference } from '../../../operations/deferred/inferences.ts'
import { openOutput } from '../../../operations/deferred/outputs.ts'
import { changeAnswer, findAnswer, type KeptDependencies, keepAnswer } from '../../../operations/kept/kept-answers.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import { readStoredChat } from '../../wire/responses/background-result.ts'
import type { InputItem } from '../../wire/responses/input-items.ts'
import { pictureCharacters } from '../../wire/responses/read-items.ts'
import { encodeFinished, encodeResponse, newId, type ResponseHead } from '../../wire/responses/response.ts'
import { inputItems, type ResponseBody } from '../../wire/responses/response-request.ts'

/** What is kept of a response. */
export interface KeptResponse {
  readonly response: JsonObject
  /** The items it was asked with, each with an id. */
  readonly input: readonly InputItem[]
  /** What it was asked with besides. */
  readonly body: ResponseBody
  /** The deferred inference that works on it; null once it is over, and where somebody waits. */
  readonly inference: string | null
}

export type ResponseDependencies = HttpDependencies & KeptDependencies
type Options = { readonly signal: AbortSignal }

/** Whose response, and which. */
export interface ResponseTarget {
  readonly accountId: string
  readonly id: string
}

const kind = 'response'

/** Conversations are followed back so far. */
const mostTurns = 1000

/** Keeps a response. @throws {ServiceError} `quota_exceeded`. */
export async function keepResponse(
  deps: KeptDependencies,
  target: ResponseTarget,
  { response, body, inference }: Omit<KeptResponse, 'input'>,
  options: Options,
): Promise<void> {
  const input = inputItems(body).map(named)
  const value = { response, input, body: { ...body, input: '' }, inference } as unknown as JsonObject
  await keepAnswer(deps, { kind, ...target, value }, options)
}

const prefixes = { message: 'msg', function_call: 'fc', function_call_output: 'fco', reasoning: 'rs' } as const

function named(item: { readonly type?: keyof typeof prefixes; readonly id?: string }): object {
  return { ...item, id: item.id ?? newId(prefixes[item.type ?? 'message']), type: item.type ?? 'message' }
}

/**
 * A kept response as it is now.
 *
 * @throws {ServiceError} `not_found`.
 */
export async function findResponse(deps: ResponseDependencies, target: ResponseTarget, options: Options): Promise<KeptResponse> {
  const kept = readKept((await findAnswer(deps, { kind, ...target }, options)).value)
  if (kept.inference === null) return kept
  const response = await followInference(deps, { ...kept, inference: kept.inference }, target, options)
  if (response.status === 'queued' || response.status === 'in_progress') return { ...kept, response }
  // Once it is over it is written down, so that its items keep their ids.
  const value = await changeAnswer(
    deps,
    { kind, ...target },
    (known) => (known.inference === null ? known : { ...known, response, inference: null }),
    options,
  )
  return readKept(value)
}

async function followInference(
  deps: ResponseDependencies,
  { response, body, inference: id }: KeptResponse & { readonly inference: string },
  { accountId }: ResponseTarget,
  options: Options,
): Promise<JsonObject> {
  const head: ResponseHead = { id: String(response.id), created: Number(response.created_at) }
  const inference = await findInference(deps, { id, accountId }, options)
  if (inference.status === 'pending') return encodeResponse(head, body, { status: 'queued' })
  if (inference.status === 'running') return encodeResponse(head, body, { status: 'in_progress' })
  if (inference.outcome === 'cancelled') return encodeResponse(head, body, { status: 'cancelled' })
  if (inference.error !== null) return encodeResponse(head, body, { status: 'failed', error: inference.error })
  const { chunks } = await openOutput(deps, { id, accountId }, options)
  return encodeFinished(head, body, readStoredChat(Buffer.concat(await Array.fromAsync(chunks)).toString('utf8')))
}

/**
 * Every item before a response that goes on from another, oldest first.
 *
 * @param onBytes Receives the bytes read so far, to refuse what no model holds.
 * @throws {ServiceError} `invalid_request_error` when one of them is gone, is not finished, or there are too many.
 */
export async function itemsBefore(
  deps: ResponseDependencies,
  { accountId, previous }: { readonly accountId: string; readonly previous: string | undefined },
  onBytes: (bytes: number) => void,
  options: Options,
): Promise<readonly InputItem[]> {
  const turns: (readonly InputItem[])[] = []
  let bytes = 0
  for (let id = previous; id !== undefined; ) {
    if (turns.length >= mostTurns) throw refuse(`goes back over more than ${mostTurns} responses; send the conversation as \`input\`.`)
    const { response, input, body } = await findResponse(deps, { accountId, id }, options).catch(nameField)
    if (response.status !== 'completed' && response.status !== 'incomplete')
      throw refuse(`is ${String(response.status)}: only a finished response can be continued.`)
    const items = [...input, ...(response.output as unknown as readonly InputItem[])]
    turns.unshift(items)
    bytes += Buffer.byteLength(JSON.stringify(items)) - pictureCharacters(items)
    onBytes(bytes)
    id = body.previous_response_id
  }
  return turns.flat()
}

function nameField(error: unknown): never {
  throw error instanceof ServiceError && error.code === 'not_found' ? refuse('names a response that does not exist, or no longer.') : error
}

function refuse(text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`previous_response_id\` ${text}`, { param: 'previous_response_id' })
}

/** Documents of this kind are written here and nowhere else, so that their shape is known. */
function readKept(value: JsonValue): KeptResponse {
  return value as unknown as KeptResponse
}
