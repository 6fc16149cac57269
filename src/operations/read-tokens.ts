import type { Caller } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { DetokenizeRequest, DetokenizeResult, TokenizeRequest, TokenizeResult } from '../core/text-generation.ts'
import type { Abortable } from '../core/waiting.ts'
import { holdSlot, type RunDependencies } from './model-slot.ts'

/** Dependencies of tokenization. */
export type TokenDependencies = Pick<RunDependencies, 'pool' | 'clock' | 'runLimitMs' | 'onWork'>

interface Requested<Request> {
  readonly caller: Caller
  readonly request: Request
}

/**
 * Tokenizes a text or conversation on a slot of the model.
 *
 * @throws {ServiceError} `unsupported_parameter` if the model's server does not expose tokens, and the errors of the pool and the model.
 */
export async function tokenize(
  deps: TokenDependencies,
  { caller, request }: Requested<TokenizeRequest>,
  { signal }: Abortable,
): Promise<{ readonly result: TokenizeResult; readonly contextLength: number | undefined }> {
  await using slot = await holdModel(deps, caller, request.model, signal)
  if (slot.model.tokenize === undefined) throw makeNoCountError(request.model)
  return {
    result: await slot.model.tokenize(request, { signal: slot.signal, account: caller.accountId }),
    contextLength: slot.model.contextLength,
  }
}

/**
 * Tokenizes texts on one slot.
 *
 * @returns The tokens of each.
 * @throws {ServiceError} as {@link tokenize}.
 */
export async function tokenizeTexts(
  deps: TokenDependencies,
  { caller, model, texts }: { readonly caller: Caller; readonly model: string; readonly texts: readonly TokenizedText[] },
  { signal }: Abortable,
): Promise<readonly (readonly number[])[]> {
  await using slot = await holdModel(deps, caller, model, signal)
  if (slot.model.tokenize === undefined) throw makeNoCountError(model)
  const read: (readonly number[])[] = []
  const options = { signal: slot.signal, account: caller.accountId }
  for (const input of texts) read.push((await slot.model.tokenize({ model, input, spelled: false }, options)).tokens)
  return read
}

type TokenizedText = Extract<TokenizeRequest['input'], { readonly type: 'text' }>

/**
 * Converts tokens to text.
 *
 * @throws {ServiceError} as {@link tokenize}.
 */
export async function detokenize(
  deps: TokenDependencies,
  { caller, request }: Requested<DetokenizeRequest>,
  { signal }: Abortable,
): Promise<DetokenizeResult> {
  await using slot = await holdModel(deps, caller, request.model, signal)
  if (slot.model.detokenize === undefined) throw makeNoCountError(request.model)
  return await slot.model.detokenize(request, { signal: slot.signal })
}

function holdModel(
  deps: TokenDependencies,
  { accountId }: Caller,
  model: string,
  signal: AbortSignal,
): ReturnType<typeof holdSlot<TextModel>> {
  return holdSlot(deps, deps.pool.acquireText(model, { signal, account: accountId }), { signal, model })
}

function makeNoCountError(model: string): ServiceError {
  const message = `The model ${model} runs on a server that does not expose its tokens; use a model that runs here.`
  return new ServiceError('unsupported_parameter', message, { param: 'model' })
}
