import type { DeviceChoice } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'
import type { SpeculativeDecoding } from '../../../core/model.ts'
import { type AllowedThreads, ComputeThreads } from '../binding/compute-threads.ts'
import type { NativeContext, NativeModel } from '../binding/native-binding.ts'
import { type OpenContext, openContext } from '../binding/open-context.ts'
import { type ModelFile, openModelFile } from '../binding/open-model-file.ts'
import { createSampler } from '../sampling/create-sampler.ts'
import { DraftModel } from './draft-model.ts'
import type { Guesser } from './guesser.ts'
import { promptLookup } from './prompt-lookup.ts'

interface GuesserOptions extends Partial<DeviceChoice> {
  readonly threads: AllowedThreads
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
  { threads, ...given }: GuesserOptions,
): Promise<Guesser> {
  await requireTakingBack(guessedFor.native)
  if (speculative.method === 'prompt-lookup') return promptLookup
  await using opened = new AsyncDisposableStack()
  const options = { ...given, threads: threads.count }
  const draft = opened.use(await openModelFile(speculative.file, options))
  requireSameVocabulary(speculative.file, draft, file)
  const context = opened.use(await openContext(draft, { ...options, contextLength: guessedFor.contextLength }))
  const sampler = createSampler(draft, {})
  opened.defer(() => sampler.dispose())
  const { contextLength, native } = context
  const parts = { context: native, contextLength, sampler, vocabularySize: file.vocabularySize, now: () => performance.now() }
  return new DraftModel({ ...parts, threads: new ComputeThreads(threads, draft.bytes), resources: opened.move() })
}

/**
 * Tries whether a model can forget the last of two tokens; recurrent ones cannot.
 *
 * @throws {ServiceError} `inference_failed` when it cannot.
 */
export async function requireTakingBack(context: NativeContext): Promise<void> {
  context.initBatch(2)
  context.addToBatch(0, 0, Uint32Array.of(0, 0), new Uint32Array())
  await context.decodeBatch()
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
    if (spell(draft.native, token) !== spell(model.native, token))
      throw new ServiceError(
        'inference_failed',
        `${path} cannot guess for this model: its token ${token} is ${JSON.stringify(spell(draft.native, token))} instead of ` +
          `${JSON.stringify(spell(model.native, token))}; set "speculative" in model.json to a model with the same vocabulary.`,
      )
}

function spell(model: NativeModel, token: number): string {
  return model.getTokenString(token) ?? ''
}
