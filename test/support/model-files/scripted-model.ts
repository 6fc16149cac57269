import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { TextModelDescriptor } from '../../../src/core/model.ts'
import type { TextModel } from '../../../src/core/ports/text-model.ts'
import type { TextPart, TextRequest } from '../../../src/core/text-generation.ts'
import { describeFakeText } from '../../../src/runtimes/fake/fake-catalog.ts'
import { openModelFile } from '../../../src/runtimes/llama/binding/open-model-file.ts'
import { loadLlamaModel } from '../../../src/runtimes/llama/load-llama-model.ts'
import { createTemporaryFolder } from '../temporary-folder.ts'
import { contextLength, writeScriptedGguf } from './scripted-gguf.ts'
import { describeTokenizer, type ToolFamily } from './tool-family.ts'

/** A model of a family, in the real engine, with output scripted by a test, one request after another. */
export interface ScriptedModel extends TextModel, AsyncDisposable {
  readonly descriptor: TextModelDescriptor
  /** The answers to the next requests, in the model's own notation. */
  say(...answers: readonly string[]): void
}

export async function openScriptedModel(family: ToolFamily): Promise<ScriptedModel> {
  const { signal } = new AbortController()
  const tokenizer = describeTokenizer(family)
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createTemporaryFolder())
  const path = join(folder.path, 'model.gguf')
  const file = opened.use(await open(path, 'w'))
  const scripted = writeScriptedGguf(tokenizer)
  await file.write(scripted.bytes)
  const descriptor = describeFakeText({ id: family.name, folder: folder.path, file: path, contextLength, embeddings: false })
  const { native } = opened.use(await openModelFile(path, { signal }))
  const model = opened.use(await loadLlamaModel(descriptor, { threads: 1, slots: 2, mapsWeights: true, signal }))
  const answers: string[] = []

  /** What is written to the mapped file is what the model says next; the keys and values stay zero. */
  async function* generate(request: TextRequest, options: Parameters<TextModel['generate']>[1]): AsyncGenerator<TextPart, void, undefined> {
    const answer = answers.shift() ?? ''
    const finish = (await Array.fromAsync(model.generate({ ...request, maxTokens: 1 }, options))).at(-1)
    const promptTokens = finish?.type === 'finish' ? finish.usage.promptTokens : 0
    const changes = scripted.rewrite({ promptTokens, tokens: [...native.tokenize(answer, true)] })
    for (const { position, bytes } of changes) await file.write(bytes, 0, null, position)
    yield* model.generate(request, options)
  }
  const resources = opened.move()
  return {
    descriptor,
    say: (...next) => answers.push(...next),
    generate,
    embed: (request, options) => model.embed(request, options),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
