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
import type { Guesser } from './guesser.ts'
import { promptLookup } from './prompt-lookup.ts'

interface GuesserOptions extends Partial<DeviceChoice> {
  readonly pool: ThreadPool
  readonly slots: number
  readonly signal: AbortSignal
}

/**
 * What guesses for a model.
 *
 * @throws {ServiceError} `inference_failed` when the model cannot take back tokens, or its draft model cannot be read or has another vocabulary.
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

/** Vocabularies may differ in length, since some are padded, but not in what a number stands for. */
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
