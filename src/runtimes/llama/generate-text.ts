import type { AssetDescriptor } from '../../core/assets/asset.ts'
import { ServiceError } from '../../core/error.ts'
import {
  type ChatInput,
  promptField,
  type ReasoningEffort,
  type TextPart,
  type TextRequest,
  type TokenUsage,
} from '../../core/text-generation.ts'
import { PartQueue } from './answer/part-queue.ts'
import { PromptEcho } from './answer/prompt-echo.ts'
import type { Generation } from './batch/generation.ts'
import { isToken } from './batch/prompt-pictures.ts'
import { constrainRequest } from './constrain-request.ts'
import { type ChoiceWork, createGeneration } from './create-generation.ts'
import type { LlamaEngine } from './llama-engine.ts'
import { lookAtBlocks, type NumberedBlock } from './pictures/picture-memory.ts'
import type { ChatTemplate } from './prompt/chat-template.ts'
import { firstFitting, shorterConversations } from './prompt/drop-oldest.ts'
import { leastTokens, refuseOversizedPrompt } from './prompt/least-tokens.ts'
import { checkPromptFits, findBegun, type ReadOptions, tokenizeRequest } from './prompt/prompt-tokens.ts'
import type { Begun } from './prompt/thought-format.ts'

/** Answers one request: every choice is a generation of its own in the decode loop. */
export async function* generateText(
  engine: LlamaEngine,
  request: TextRequest,
  {
    signal,
    account,
    adapters: files = [],
  }: { readonly signal: AbortSignal; readonly account: string; readonly adapters?: readonly AssetDescriptor[] },
): AsyncGenerator<TextPart, void, undefined> {
  signal.throwIfAborted()
  const constraints = constrainRequest(engine, request, account)
  const shown = new Map<number, NumberedBlock>()
  const prompt = await tokenizeFitting(engine, request, { account, signal, shown })
  using adapters = await engine.adapters.lease(request.adapters ?? [], files)
  const pictures = await lookAtBlocks(prompt, shown, signal)
  signal.throwIfAborted()
  const limit = Math.max(1, Math.min(request.maxTokens, engine.contextLength - prompt.length))
  const { input, topLogprobs } = request
  const echo = input.type === 'prompt' && input.echo ? new PromptEcho(engine.vocabulary, input, prompt, topLogprobs !== null) : null

  const parts = new PartQueue()
  const abort = (): void => parts.fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const thoughts = { begun: readBegun(engine, prompt), thoughtLimit: thoughtLimit(engine.template, request.input, limit) }
  const work = { constraints, prompt, pictures, ...thoughts, limit, account, adapters: adapters.set, echo, parts }
  using choices = startChoices(engine, request, work)
  try {
    // A single generator: each further layer costs as much per token as producing its text.
    for (let some = await parts.take(); some.length > 0; some = await parts.take()) for (const part of some) yield part
    yield { type: 'finish', usage: choices.usage() }
  } catch (error) {
    throw nameAdapters(error, request)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Of a model that computes with adapters, they are at fault when it computes no numbers. */
function nameAdapters(error: unknown, { adapters = [] }: TextRequest): unknown {
  if (!(error instanceof ServiceError && error.code === 'numerical_error') || adapters.length === 0) return error
  const names = adapters.map(({ name }) => name).join(', ')
  const message = `\`lora\` names ${names}, with which the model produced NaN; leave it out, lower its scale or train it again.`
  return new ServiceError('unsupported_parameter', message, { param: 'lora' })
}

/**
 * The tokens of a request's prompt.
 *
 * @throws {ServiceError} `context_length_exceeded` when they leave no room for an answer, `invalid_request_error` when there are none.
 */
export async function tokenizeFitting(engine: LlamaEngine, request: TextRequest, options: ReadOptions): Promise<Uint32Array> {
  const param = promptField(request.input)
  const shortened = await withoutOldest(engine, request, options)
  if (shortened !== null) return shortened
  refuseOversizedPrompt(engine, request.input)
  const prompt = await tokenizeRequest(engine, request, options)
  checkPromptFits(prompt.length, engine.contextLength, param)
  if (prompt.length === 0)
    throw new ServiceError('invalid_request_error', 'The prompt is empty, and this model needs some text; send some.', {
      param,
    })
  return prompt
}

/** Minimum share of the context left for the answer after shortening a conversation; less if the request asks for less. */
const answerShare = 0.25

/** Tokenizes a conversation without as many of its oldest turns as necessary; null = shortening is not allowed or not sufficient. */
async function withoutOldest(engine: LlamaEngine, request: TextRequest, options: ReadOptions): Promise<Uint32Array | null> {
  const { input, maxTokens } = request
  if (input.type !== 'chat' || input.dropsOldest !== true) return null
  const { contextLength, longestToken } = engine
  const fit = async (shorter: ChatInput, room: number): Promise<Uint32Array | null> => {
    if (leastTokens({ input: shorter }, longestToken) >= contextLength) return null
    const prompt = await tokenizeRequest(engine, { input: shorter }, options)
    return prompt.length < contextLength - room ? prompt : null
  }
  const whole = await fit(input, 0)
  const room = Math.min(maxTokens, Math.floor(contextLength * answerShare))
  return whole ?? firstFitting(shorterConversations(input), (shorter) => fit(shorter, room))
}

/** Maximum number of tokens of a mark that begins reasoning, including the line breaks after it. */
const longestMark = 12

function readBegun({ vocabulary, template }: LlamaEngine, prompt: Uint32Array): Begun {
  const end = Buffer.concat(Array.from(prompt.subarray(-longestMark).filter(isToken), vocabulary.spell)).toString('utf8')
  return findBegun(template.thoughts, end)
}

interface Work extends ChoiceWork {
  readonly parts: PartQueue
}

/** Starts the first choice, and the others once its prompt is in the cache, so that they share it. */
function startChoices(engine: LlamaEngine, request: TextRequest, work: Work): Disposable & { usage(): TokenUsage } {
  const seed = request.sampling.seed
  const usage: { -readonly [Count in keyof TokenUsage]: TokenUsage[Count] } = {
    promptTokens: work.prompt.length,
    completionTokens: 0,
    cachedTokens: 0,
  }
  const generations: Generation[] = []
  let open = request.choices

  const start = (choice: number): void => {
    const generation = createGeneration(engine, request, work, {
      choice,
      seed: choiceSeed(seed, choice),
      push: (part) => work.parts.push(part),
      onPrompt: (cachedTokens) => {
        if (choice > 0) return
        usage.cachedTokens = cachedTokens
        work.parts.push({ type: 'prompt', usage: { promptTokens: usage.promptTokens, cachedTokens } })
        for (let other = request.choices - 1; other > 0; other--) start(other)
      },
      onFinish: (tokens, thoughts) => {
        usage.completionTokens += tokens
        if (thoughts > 0) usage.thoughtTokens = (usage.thoughtTokens ?? 0) + thoughts
        if (--open === 0) work.parts.finish()
      },
      onFailure: (error) => work.parts.fail(error),
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

/** Shares of an answer for reasoning, for models that can only switch it on or off, as in OpenRouter. */
const shares: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
}

/**
 * Maximum reasoning tokens; Infinity = unlimited.
 *
 * @param most Maximum tokens of the answer including reasoning.
 */
export function thoughtLimit(
  { thoughts, acceptsEffort, acceptsDegree }: Pick<ChatTemplate, 'thoughts' | 'acceptsEffort' | 'acceptsDegree'>,
  input: TextRequest['input'],
  most: number,
): number {
  if (input.type === 'prompt' || thoughts === null) return Number.POSITIVE_INFINITY
  const { thoughtTokens, effort, effortIsWish = false } = input
  if (thoughtTokens !== undefined) return thoughtTokens
  if (effort === undefined) return input.thinks === false ? 0 : Number.POSITIVE_INFINITY
  // A hint leaves a model as it is where its template has no such setting.
  if ((acceptsDegree && effort !== 'none') || (effortIsWish && !acceptsEffort)) return Number.POSITIVE_INFINITY
  return Math.floor(shares[effort] * most)
}

/**
 * The 32-bit seed of one choice: different for each choice, the same for the same request seed.
 *
 * @see Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators": the finalizer of SplitMix32.
 */
export function choiceSeed(seed: number, choice: number): number {
  const high = Math.floor(seed / 2 ** 32)
  let state = (seed ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(choice, 0x9e3779b9)) >>> 0
  state = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
  state = Math.imul(state ^ (state >>> 15), 0x735a2d97)
  const mixed = (state ^ (state >>> 15)) >>> 0
  return mixed === 0xffff_ffff ? 0 : mixed
}
