import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { ModelLoader } from '../../src/core/ports/model-loader.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'
import { ask, miniChat } from '../../test/support/mini-chat.ts'
import type { BenchModel } from './bench-model.ts'
import { type ChatServer, startLlamaServer } from './chat-server.ts'
import { identityPrompts } from './identity-prompts.ts'
import { findSameKernels } from './llama-builds.ts'

const signal = new AbortController().signal
const maxTokens = 96

/** Of both engines. */
const threads = Number(process.env.THREADS ?? 1)

export interface Difference {
  readonly prompt: string
  readonly ours: string
  readonly theirs: string
}

/** Asks our engine and llama-server the same questions greedily and returns where the tokens differ. */
export async function measureIdentity(model: BenchModel, together: number): Promise<readonly Difference[]> {
  const descriptor = { ...miniChat, id: model.model, file: model.file, contextLength: model.context }
  // In its process, where draws are queued behind their batches.
  await using engine = await openLoader(together).loadText(descriptor, { signal })
  await using rival = await startLlamaServer({ ...model, threads, slots: together }, [], findSameKernels())
  const differing: Difference[] = []
  for (let start = 0; start < identityPrompts.length; start += together) {
    const prompts = identityPrompts.slice(start, start + together)
    const ours = await Promise.all(prompts.map((prompt) => askEngine(engine.model, prompt)))
    const theirs = await Promise.all(prompts.map((prompt) => askRival(rival, prompt)))
    for (const [index, prompt] of prompts.entries()) {
      const [mine = '', other = ''] = [ours[index], theirs[index]]
      if (mine !== other) differing.push({ prompt, ours: mine, theirs: other })
    }
  }
  return differing
}

function openLoader(slots: number): ModelLoader {
  return createProcessModelLoader({
    textEntry: new URL('../../src/composition/text-engine.ts', import.meta.url),
    imageEntry: new URL('../../src/composition/image-engine.ts', import.meta.url),
    engineThreads: threads,
    textSlots: slots,
    clock: createSystemClock(),
    log: () => {},
  })
}

/** The tokens of an answer, joined with bars: two answers are equal only when their tokens are. */
async function askEngine(engine: TextModel, prompt: string): Promise<string> {
  const parts = await Array.fromAsync(engine.generate(ask(prompt, { maxTokens, topLogprobs: 0 }), { signal, account: 'bench' }))
  return parts
    .flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))
    .map((entry) => entry.token)
    .join('|')
}

async function askRival(server: ChatServer, prompt: string): Promise<string> {
  const body = {
    model: server.model,
    messages: [{ role: 'user', content: prompt }],
    temperature: 0,
    max_tokens: maxTokens,
    logprobs: true,
    top_logprobs: 1,
  }
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return readTokens(await response.text())
    .filter((token) => token.length > 0)
    .join('|')
}

function readTokens(body: string): readonly string[] {
  const content: readonly { readonly token: string }[] = JSON.parse(body).choices[0].logprobs.content
  return content.map((entry) => entry.token)
}
