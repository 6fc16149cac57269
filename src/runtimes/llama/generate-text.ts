import { randomInt } from 'node:crypto'
import type { TextPart, TextRequest, TokenUsage } from '../../core/text-generation.ts'
import { choiceSeed } from './choice-seed.ts'
import { ChoiceText, type ShownText } from './choice-text.ts'
import type { Generation } from './generation.ts'
import type { LlamaEngine } from './llama-engine.ts'
import { PartQueue } from './part-queue.ts'
import { checkPromptFits, tokenizeRequest } from './prompt-tokens.ts'
import { refuseUnsupported } from './refuse-unsupported.ts'
import { samplerConfig } from './sampler-config.ts'

const defaultMaxTokens = 512

/** Answers one request: every choice is a generation of its own in the decode loop. */
export async function* generateText(
  engine: LlamaEngine,
  request: TextRequest,
  { signal, account }: { readonly signal: AbortSignal; readonly account: string },
): AsyncGenerator<TextPart, void, undefined> {
  signal.throwIfAborted()
  refuseUnsupported(request, engine.vocabulary)
  const prompt = tokenizeRequest(engine, request)
  checkPromptFits(prompt.length, engine.contextLength, request.input.type === 'chat' ? 'messages' : 'prompt')
  const limit = Math.min(request.maxTokens ?? defaultMaxTokens, engine.contextLength - prompt.length)

  const parts = new PartQueue()
  const abort = (): void => parts.fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  using choices = startChoices(engine, request, { prompt, limit, account, parts })
  try {
    yield* parts.read()
    yield { type: 'finish', usage: choices.usage() }
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

interface Work {
  readonly prompt: Uint32Array
  readonly limit: number
  readonly account: string
  readonly parts: PartQueue
}

/** Starts the first choice, and the others once its prompt is in the cache, so that they share it. */
function startChoices(engine: LlamaEngine, request: TextRequest, work: Work): Disposable & { usage(): TokenUsage } {
  const seed = request.sampling.seed ?? randomInt(2 ** 32)
  const usage = { promptTokens: work.prompt.length, completionTokens: 0, cachedTokens: 0 }
  const generations: Generation[] = []
  let open = request.choices

  const start = (choice: number): void => {
    const generation = createGeneration(engine, request, work, {
      choice,
      seed: choiceSeed(seed, choice),
      onPrompt: (cachedTokens) => {
        if (choice > 0) return
        usage.cachedTokens = cachedTokens
        for (let other = request.choices - 1; other > 0; other--) start(other)
      },
      onFinish: (tokens) => {
        usage.completionTokens += tokens
        if (--open === 0) work.parts.finish()
      },
    })
    generations.push(generation)
    engine.loop.submit(generation, choice === 0 ? 'last' : 'next')
  }
  start(0)

  return {
    usage: () => usage,
    [Symbol.dispose]: () => {
      for (const generation of generations) engine.loop.cancel(generation)
    },
  }
}

interface ChoiceEvents {
  readonly choice: number
  readonly seed: number
  readonly onPrompt: (cachedTokens: number) => void
  readonly onFinish: (tokens: number) => void
}

function createGeneration(
  engine: LlamaEngine,
  request: TextRequest,
  work: Work,
  { choice, seed, onPrompt, onFinish }: ChoiceEvents,
): Generation {
  const { parts, prompt } = work
  const text = new ChoiceText(engine.vocabulary, request.stop)
  const sampler = engine.createSampler(samplerConfig(request.sampling, { seed, prompt, contextLength: engine.contextLength }))
  let tokens = 0

  const show = ({ text: shown, logprobs }: ShownText): void => {
    if (shown.length === 0 && logprobs.length === 0) return
    parts.push({ type: 'text', choice, text: shown, ...(logprobs.length > 0 && { logprobs }) })
  }
  const finish = (reason: 'stop' | 'length'): void => {
    parts.push({ type: 'choice-finish', choice, reason })
    onFinish(tokens)
  }
  return {
    account: work.account,
    prompt,
    limit: work.limit,
    sampler,
    logprobs: request.topLogprobs === null ? null : { sampler: engine.createSampler({}), top: request.topLogprobs },
    onPrompt,
    onToken: (token, logprobs) => {
      tokens++
      const shown = text.add(token, logprobs)
      show(shown)
      if (shown.stopped) finish('stop')
      return !shown.stopped
    },
    onEnd: (end) => {
      show(text.flush())
      finish(end === 'limit' ? 'length' : 'stop')
    },
    onFailure: (error) => parts.fail(error),
  }
}
