import type { DeviceChoice } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'
import type { SpeculativeDecoding } from '../../../core/model.ts'
import { ComputeThreads } from '../binding/compute-threads.ts'
import type { DecodingContext } from '../binding/native-context.ts'
import { NativeSampler } from '../binding/native-sampler.ts'
import { type OpenContext, openContext } from '../binding/open-context.ts'
import { type ModelFile, openModelFile } from '../binding/open-model-file.ts'
import type { ThreadPool } from '../binding/thread-pool.ts'
import { DraftModel } from './draft-model.ts'
import type { ChooseLength, GuessedText, Guesser } from './guesser.ts'

interface GuesserOptions extends Partial<DeviceChoice> {
  readonly pool: ThreadPool
  readonly slots: number
  readonly signal: AbortSignal
}

/**
 * Creates the guesser of a model.
 *
 * @throws {ServiceError} `inference_failed` if the model cannot remove tokens from its cache, or the draft model is unreadable or has
 * another vocabulary.
 */
export async function openGuesser(
  speculative: SpeculativeDecoding,
  { file, context: guessedFor }: { readonly file: ModelFile; readonly context: OpenContext },
  options: GuesserOptions,
): Promise<Guesser> {
  await requireTakingBack(guessedFor.native)
  if (speculative.method === 'prompt-lookup') return promptLookup
  await using opened = new AsyncDisposableStack()
  const draft = opened.use(await openModelFile(speculative.file, options))
  requireSameVocabulary(speculative.file, draft, file)
  const context = opened.use(await openContext(draft, { ...options, contextLength: guessedFor.contextLength }))
  const sampler = opened.use(new NativeSampler(draft.native, {}))
  const { contextLength, native } = context
  const parts = { context: native, contextLength, sampler, vocabularySize: file.vocabularySize, now: () => performance.now() }
  return new DraftModel({ ...parts, threads: new ComputeThreads(options.pool, draft.bytes), resources: opened.move() })
}

/**
 * Tries whether a model can forget the last of two tokens; recurrent ones cannot.
 *
 * @throws {ServiceError} `inference_failed` when it cannot.
 */
export async function requireTakingBack(context: DecodingContext): Promise<void> {
  context.initBatch()
  context.addToBatch(0, 0, Uint32Array.of(0, 0), new Uint32Array())
  await context.decodeBatch(1)
  const forgot = context.removeTokenCellsFromSequence(0, 1, -1)
  context.disposeSequence(0)
  if (forgot) return
  const message = 'This model cannot undo tokens, which speculative decoding needs; remove "speculative" from its model.json.'
  throw new ServiceError('inference_failed', message)
}

/** Vocabularies may differ in length, since some are padded, but each token must have the same number. */
function requireSameVocabulary(path: string, draft: ModelFile, model: ModelFile): void {
  const shared = Math.min(draft.vocabularySize, model.vocabularySize)
  for (let token = 0; token < shared; token++)
    if (draft.native.tokenText(token) !== model.native.tokenText(token))
      throw new ServiceError(
        'inference_failed',
        `${path} cannot be the draft model of this one: its token ${token} is ${JSON.stringify(draft.native.tokenText(token))} instead of ` +
          `${JSON.stringify(model.native.tokenText(token))}; set "speculative" in model.json to a model with the same vocabulary.`,
      )
}

/** This many tokens must have stood together before what followed them is a guess worth checking. */
const keyLength = 3
const mostTokens = 12

/**
 * Guesses that what followed the last tokens of a text when they stood in it before follows them again: fast where an answer quotes its prompt.
 *
 * @see Saxena 2023, https://github.com/apoorvumang/prompt-lookup-decoding
 */
const promptLookup: Guesser = {
  guess: async (texts: readonly GuessedText[], choose: ChooseLength) => {
    const found = texts.map(({ tokens }) => findContinuation(tokens, mostTokens))
    const length = choose(Math.min(...found.map((guess) => guess.length)), 0)
    return found.map((guess) => guess.subarray(0, length))
  },
  [Symbol.asyncDispose]: async () => {},
}

/**
 * The tokens that followed the latest earlier occurrence of a text's last three tokens; empty = there is none.
 *
 * @param most Tokens to return.
 */
export function findContinuation(text: readonly number[], most: number): Uint32Array {
  const [first, second, third] = text.slice(-keyLength)
  for (let end = text.length - 2; end >= keyLength - 1; end--)
    if (text[end] === third && text[end - 1] === second && text[end - 2] === first) return repeat(text.slice(end + 1), most)
  return new Uint32Array()
}

/** Repeats the tokens up to `length`: a text that repeated once is expected to repeat again. */
function repeat(tokens: readonly number[], most: number): Uint32Array {
  return Uint32Array.from({ length: most }, (_, index) => tokens[index % tokens.length] ?? 0)
}
