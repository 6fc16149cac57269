import { ServiceError } from '../../core/error.ts'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import { compileChatTemplate } from './chat-template.ts'
import { DecodeLoop } from './decode-loop.ts'
import { generateText } from './generate-text.ts'
import type { LlamaEngine } from './llama-engine.ts'
import { openContext } from './open-context.ts'
import { openModelFile } from './open-model-file.ts'
import { SequenceTable } from './sequence-table.ts'
import { readVocabulary } from './vocabulary.ts'

export interface LoadOptions {
  /** CPU threads that compute; more than cores − 1 makes every batch wait for whatever else runs. */
  readonly threads: number
  /** Sequences at once; requests over it wait in order of arrival. */
  readonly slots: number
  readonly signal: AbortSignal
}

/**
 * Loads a GGUF file into this process.
 *
 * @throws {ServiceError} `inference_failed` when the file is no model that llama.cpp can run.
 */
export async function loadLlamaModel(descriptor: TextModelDescriptor, options: LoadOptions): Promise<TextModel & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const file = opened.use(await openModelFile(descriptor.file, options))
  const context = opened.use(await openContext(file, { ...options, contextLength: descriptor.contextLength }))
  const vocabulary = readVocabulary(file.native, file.vocabularySize)
  const table = new SequenceTable(context.native, options.slots)
  const loop = opened.use(new DecodeLoop(context.native, table, context.limits, vocabulary.isEnd))
  const engine: LlamaEngine = {
    vocabulary,
    template: compileChatTemplate(file.chatTemplate, { begin: vocabulary.beginText, end: vocabulary.endText }),
    loop,
    contextLength: context.contextLength,
    createSampler: (config) => {
      const sampler = new file.binding.AddonSampler(file.native)
      sampler.applyConfig(config)
      return sampler
    },
  }
  const resources = opened.move()
  return {
    generate: (request, { signal, account }) => generateText(engine, request, { signal, account }),
    embed: () =>
      Promise.reject(new ServiceError('unsupported_parameter', 'This model makes no embeddings; name one that does.', { param: 'model' })),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
