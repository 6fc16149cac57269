import { ServiceError } from '../../core/error.ts'
import {
  type ChatInput,
  type DetokenizeRequest,
  type DetokenizeResult,
  promptField,
  type TokenizeRequest,
  type TokenizeResult,
} from '../../core/text-generation.ts'
import { isToken } from './batch/prompt-pictures.ts'
import { joinTokens } from './binding/cut-at-marks.ts'
import type { LlamaEngine } from './llama-engine.ts'
import { refuseOversizedPrompt } from './prompt/least-tokens.ts'
import { tokenizeParts, tokenizeRequest, tooLong, writePrompt } from './prompt/prompt-tokens.ts'

type Reader = Pick<LlamaEngine, 'vocabulary' | 'template' | 'toolFormat' | 'stretches' | 'pictures' | 'contextLength' | 'longestToken'>

/** Tokens that are handed over where the context does not hold more: the service reads and writes them in one go, a million in a second. */
const mostTokens = 2 ** 18

/** @throws {ServiceError} `context_length_exceeded` when they are too many to hand over, or surely many times more than the context holds. */
export async function tokenizeText(
  engine: Reader,
  { input, spelled, written = false }: TokenizeRequest,
  options: { readonly account: string; readonly signal: AbortSignal },
): Promise<TokenizeResult> {
  refuseOversizedPrompt(engine, input.type === 'chat' ? input : { type: 'prompt', prompt: input.text, echo: false })
  const tokens = input.type === 'chat' ? await tokenizeRequest(engine, { input }, options) : await readText(engine, input, options)
  if (tokens.length > Math.max(mostTokens, engine.contextLength)) throw tooLong(tokens.length, engine.contextLength, promptField(input))
  return {
    // As in llama.cpp's server, which has no token id for a picture's row.
    tokens: Array.from(tokens, (token) => (isToken(token) ? token : -1)),
    spellings: spelled ? Array.from(tokens, (token) => (isToken(token) ? engine.vocabulary.spell(token) : new Uint8Array())) : null,
    ...(written && input.type === 'chat' && { prompt: writeWithoutBegin(engine, input) }),
  }
}

/** The prompt of a conversation, without the begin token that is added to every prompt automatically. */
function writeWithoutBegin(engine: Reader, input: ChatInput): string {
  const { begin, beginText } = engine.vocabulary
  const text = writePrompt(engine, input)
    .map((part) => ('picture' in part ? '<image>' : part.text))
    .join('')
  return begin !== null && beginText !== '' && text.startsWith(beginText) ? text.slice(beginText.length) : text
}

/** @throws {ServiceError} `invalid_request_error` when the model has no such token. */
export function detokenizeText({ vocabulary }: LlamaEngine, { tokens }: DetokenizeRequest): DetokenizeResult {
  const unknown = tokens.find((token) => token < 0 || token >= vocabulary.size)
  if (unknown === undefined) return { text: Buffer.concat(tokens.map(vocabulary.spell)).toString('utf8') }
  const message = `tokens has ${unknown}; this model's tokens are 0 to ${vocabulary.size - 1}.`
  throw new ServiceError('invalid_request_error', message, { param: 'tokens' })
}

async function readText(
  engine: Reader,
  { text, special, framed }: Extract<TokenizeRequest['input'], { type: 'text' }>,
  options: { readonly account: string; readonly signal: AbortSignal },
): Promise<Uint32Array> {
  const { begin, end } = engine.vocabulary
  const frame = (token: number | null): readonly number[] => (framed && token !== null ? [token] : [])
  return joinTokens(await tokenizeParts(engine, [...frame(begin), { text, special }, ...frame(end)], options))
}
