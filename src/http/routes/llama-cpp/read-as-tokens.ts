import type { Caller } from '../../../core/access-token.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { type TokenDependencies, tokenizeTexts } from '../../../operations/read-tokens.ts'
import type { ParsedNative } from '../../wire/llama-cpp/completion-request.ts'
import type { PromptPieces } from '../../wire/llama-cpp/native-prompt.ts'

type PromptInput = Extract<TextRequest['input'], { readonly type: 'prompt' }>

/**
 * The requests of a body, one per prompt. Texts between tokens, and texts with a bias, are tokenized by the model first.
 *
 * @throws {ServiceError} the errors of `tokenizeTexts`.
 */
export async function readAsTokens(
  deps: TokenDependencies,
  { caller, model, parsed }: { readonly caller: Caller; readonly model: string; readonly parsed: ParsedNative },
  options: Abortable,
): Promise<readonly TextRequest[]> {
  const { prompts, biases, request } = parsed
  const mixed = prompts.filter((pieces) => isMixed(pieces))
  const framed = mixed.flatMap((pieces) =>
    pieces.flatMap((piece, index) => (typeof piece === 'string' ? [{ text: piece, framed: index === 0 }] : [])),
  )
  const biased = biases.flatMap(({ of }) => (typeof of === 'string' ? [{ text: of, framed: false }] : []))
  const texts = [...framed, ...biased].map(({ text, framed: begins }) => ({ type: 'text', text, framed: begins, special: true }) as const)
  const read = texts.length === 0 ? [] : await tokenizeTexts(deps, { caller, model, texts }, options)
  const next = read[Symbol.iterator]()
  const tokensOf = (piece: string | number): readonly number[] => (typeof piece === 'number' ? [piece] : (next.next().value ?? []))
  const inputs = prompts.map(
    (pieces): PromptInput =>
      isMixed(pieces) ? { type: 'prompt', prompt: '', tokens: pieces.flatMap(tokensOf), echo: false } : readPlain(pieces),
  )
  const logitBias = new Map(biases.flatMap(({ of, bias }) => tokensOf(of).map((token) => [token, bias] as const)))
  return inputs.map((input) => ({ ...request, model, input, sampling: { ...request.sampling, logitBias } }))
}

function isMixed(pieces: PromptPieces): boolean {
  return pieces.length > 1 && pieces.some((piece) => typeof piece === 'string')
}

function readPlain(pieces: PromptPieces): PromptInput {
  const tokens = pieces.filter((piece) => typeof piece === 'number')
  if (tokens.length > 0) return { type: 'prompt', prompt: '', tokens, echo: false }
  return { type: 'prompt', prompt: pieces.join(''), special: true, echo: false }
}
