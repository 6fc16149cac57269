import { env } from 'node:process'
import { ServiceError } from '../../core/error.ts'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { LoadOptions } from '../../core/ports/model-loader.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { EngineOptions, EngineWork } from './engine-messages.ts'
import { serveEngine, type WorkRunner } from './serve-engine.ts'

/** @param options.inOrder Whether libuv's pool has a single thread, so that native work runs in order. */
type LoadText = (
  descriptor: TextModelDescriptor,
  options: EngineOptions & LoadOptions & { readonly inOrder: boolean },
) => Promise<TextModel & AsyncDisposable & { useThreads?(count: number): void }>

/** The main of an engine process: loads the text model the service names and answers its calls until the service is gone. */
export function serveTextEngine(load: LoadText): void {
  serveEngine(async (descriptor, options) => {
    if (descriptor.kind !== 'text') throw new ServiceError('internal_error', `The text engine was asked to load ${descriptor.id}.`)
    const model = await load(descriptor, { ...options, inOrder: env.UV_THREADPOOL_SIZE === '1' })
    const { contextLength, device } = model
    return {
      run: createRunner(model),
      slots: options.slots,
      contextLength,
      device,
      figures: () => model.figures?.(),
      useThreads: (count) => model.useThreads?.(count),
    }
  })
}

function createRunner(model: TextModel): WorkRunner {
  return async (work: EngineWork, { id, signal, window, send }) => {
    if (work.type === 'embed') return model.embed(work.request, { signal })
    if (work.type === 'count') return model.countPrompt?.(work.request, { signal, account: work.account })
    if (work.type === 'rank' && model.rank !== undefined) return model.rank(work.request, { signal })
    if (work.type === 'tokenize' && model.tokenize !== undefined) return model.tokenize(work.request, { signal, account: work.account })
    if (work.type === 'detokenize' && model.detokenize !== undefined) return model.detokenize(work.request, { signal })
    if (work.type !== 'generate') throw new ServiceError('internal_error', `The text engine was asked to ${work.type}.`)
    const { request, account, adapters = [] } = work
    for await (const part of model.generate(request, { signal, account, adapters })) {
      if (!window.take()) await window.opened(signal)
      send({ type: 'part', id, part })
    }
    return undefined
  }
}
