import { loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { ask, miniChat } from '../../test/support/mini-chat.ts'
import type { BenchModel } from './bench-model.ts'
import { type ChatServer, startLlamaServer } from './chat-server.ts'
import { identityPrompts } from './identity-prompts.ts'

const signal = new AbortController().signal
const maxTokens = 96

export interface Difference {
  readonly prompt: string
  readonly ours: string
  readonly theirs: string
}

/** Asks our engine and llama-server the same questions greedily and returns where the tokens differ. */
export async function measureIdentity(model: BenchModel, together: number): Promise<readonly Difference[]> {
  const descriptor = { ...miniChat, id: model.model, file: model.file, contextLength: model.context }
  await using engine = await loadLlamaModel(descriptor, { threads: 1, slots: together, signal })
  await using rival = await startLlamaServer({ ...model, threads: 1, slots: together })
  const differing: Difference[] = []
  for (let start = 0; start < identityPrompts.length; start += together) {
    const prompts = identityPrompts.slice(start, start + together)
    const ours = await Promise.all(prompts.map((prompt) => askEngine(engine, prompt)))
    const theirs = await Promise.all(prompts.map((prompt) => askRival(rival, prompt)))
    for (const [index, prompt] of prompts.entries()) {
      const [mine = '', other = ''] = [ours[index], theirs[index]]
      if (mine !== other) differing.push({ prompt, ours: mine, theirs: other })
    }
  }
  return differing
}

/** The tokens of an answer, joined with bars: two answers are equal only when their tokens are. */
async function askEngine(engine: Awaited<ReturnType<typeof loadLlamaModel>>, prompt: string): Promise<string> {
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
