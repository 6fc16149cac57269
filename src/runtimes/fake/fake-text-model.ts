import { defined } from '../../core/defined.ts'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import {
  type EmbeddingRequest,
  type EmbeddingResult,
  promptField,
  type RankRequest,
  type RankResult,
  type TextPart,
  type TextRequest,
  type TokenizeResult,
  type TokenLogprob,
} from '../../core/text-generation.ts'
import { countTokens, type FakeAnswer, hash, planAnswer, readPrompt } from './fake-answer.ts'
import { actOnFault, findFault, findThoughts, findToolCall, type MarkedCall } from './prompt-marker.ts'

export interface FakeTextSettings {
  readonly clock: Clock
  /** Tokens of an answer that neither the request nor its prompt limits; default 16. */
  readonly tokens?: number
  /** Wait before each token; default 0. */
  readonly tokenDelayMs?: number
  /** Prompt tokens (words) over this are refused; default 1024. */
  readonly contextLength?: number
  /** Called for a prompt with `[crash]`: ends the model with all its requests. */
  readonly crash?: () => void
}

const defaultContext = 1024

/**
 * A text model without weights: deterministic words, one token each, at the pace of the clock.
 *
 * Prompts steer it: `[say <text>]`, `[think <text>]` and `[call <tool> {…}]` choose the answer, several calls one after the other; `[crash]`, `[hang]` and `[fail <error code>]`,
 * each with an optional ` after <tokens>`, make it fail.
 */
export function createFakeTextModel(settings: FakeTextSettings): TextModel {
  return {
    contextLength: settings.contextLength ?? defaultContext,
    generate: (request, { signal }) => generate(settings, request, signal),
    countPrompt: (request) => Promise.resolve(countTokens(readPrompt(request))),
    embed: (request) => Promise.resolve(embed(request)),
    rank: (request) => Promise.resolve(rank(request)),
    tokenize: async ({ input, spelled, written = false }) => {
      const text = input.type === 'chat' ? input.messages.map(({ content }) => content ?? '').join(' ') : input.text
      return { ...tokenize(text, spelled), ...(written && { prompt: text }) }
    },
    detokenize: async ({ tokens }) => ({ text: tokens.map((token) => `word${token}`).join(' ') }),
  }
}

async function* generate(settings: FakeTextSettings, request: TextRequest, signal: AbortSignal): AsyncGenerator<TextPart, void, undefined> {
  const prompt = readPrompt(request)
  const promptTokens = countTokens(prompt)
  refuse(request, promptTokens, settings.contextLength ?? defaultContext)
  const fault = findFault(prompt)
  const tool = chooseTool(request, prompt)
  const thoughts = limitThoughts(findThoughts(prompt), request.input)
  const answers = Array.from({ length: request.choices }, (_, choice) => planAnswer(request, choice, settings.tokens ?? 16))
  const longest = Math.max(...answers.map((answer) => answer.tokens.length))
  await actOnFault(fault, 0, { signal, crash: settings.crash })
  if (tool !== undefined) return yield* callTool(tool, { choices: request.choices, answered: countResults(request), promptTokens })
  const thinks = thoughts !== ''

  for (let index = 0; index <= longest; index++) {
    if (settings.tokenDelayMs !== undefined && index < longest) await settings.clock.wait(settings.tokenDelayMs, { signal })
    signal.throwIfAborted()
    if (index === 0) {
      yield { type: 'prompt', usage: { promptTokens, cachedTokens: 0 } }
      for (const choice of answers.keys()) yield* echoPrompt(request, prompt, choice)
      if (thinks) for (const choice of answers.keys()) yield { type: 'thoughts', choice, text: thoughts }
    }
    for (const [choice, answer] of answers.entries()) yield* speak(request, choice, answer, index)
    if (index < longest) await actOnFault(fault, index + 1, { signal, crash: settings.crash })
  }
  const thoughtTokens = thinks ? answers.length * countTokens(thoughts) : 0
  const completionTokens = answers.reduce((sum, answer) => sum + answer.tokens.length, thoughtTokens)
  yield { type: 'finish', usage: { promptTokens, completionTokens, cachedTokens: 0, ...(thinks && { thoughtTokens }) } }
}

/** The prompt before the answer, a token per word; the first follows nothing. */
function* echoPrompt({ input, topLogprobs }: TextRequest, prompt: string, choice: number): Generator<TextPart> {
  if (input.type !== 'prompt' || !input.echo) return
  const [first = '', ...others] = prompt.match(/\s*\S+/g) ?? []
  const part = { type: 'text', choice, text: prompt } as const
  if (topLogprobs === null) return yield part
  const logprobs = others.map((word) => makeLogprob(word, topLogprobs))
  yield { ...part, logprobs, unscored: { token: first, bytes: [...Buffer.from(first)] } }
}

/** Limits the reasoning to the tokens a request allows, one per word. */
function limitThoughts(thoughts: string | undefined, input: TextRequest['input']): string {
  if (thoughts === undefined || input.type === 'prompt' || input.effort === 'none' || input.thinks === false) return ''
  return input.thoughtTokens === undefined ? thoughts : thoughts.split(' ').slice(0, input.thoughtTokens).join(' ')
}

function refuse(request: TextRequest, promptTokens: number, contextLength: number): void {
  const { responseFormat } = request
  if (responseFormat.type === 'json_schema' || responseFormat.type === 'grammar' || responseFormat.type === 'regex')
    throw new ServiceError('unsupported_parameter', 'The fake model follows no schema or grammar; ask for json_object.', {
      param: responseFormat.field ?? 'response_format',
    })
  if (promptTokens >= contextLength)
    throw new ServiceError(
      'context_length_exceeded',
      `The prompt has ${promptTokens} tokens and the model's context ${contextLength}; shorten the prompt.`,
      { param: promptField(request.input) },
    )
}

function* speak(request: TextRequest, choice: number, { tokens, reason, stop }: FakeAnswer, index: number): Generator<TextPart> {
  const text = tokens[index]
  if (text !== undefined) {
    const logprobs = request.topLogprobs === null ? undefined : [makeLogprob(text, request.topLogprobs)]
    yield { type: 'text', choice, text, ...defined({ logprobs, tokens: request.tellsTokens ? [hash(text)] : undefined }) }
  } else if (index === tokens.length) yield { type: 'choice-finish', choice, reason, ...defined({ stop }) }
}

function makeLogprob(token: string, alternatives: number): TokenLogprob {
  const bytes = [...Buffer.from(token)]
  const id = hash(token)
  const top = alternatives === 0 ? [] : [{ id, token, logprob: 0, bytes }]
  return { id, token, logprob: 0, bytes, top }
}

function chooseTool({ input }: TextRequest, prompt: string): MarkedCall | undefined {
  if (input.type === 'prompt' || input.tools.length === 0 || input.toolChoice === 'none') return undefined
  if (typeof input.toolChoice === 'object') return { name: input.toolChoice.name, arguments: '{}' }
  const requested = findToolCall(prompt, countResults({ input }))
  if (requested !== undefined && input.tools.some((tool) => tool.name === requested.name)) return requested
  const [first] = input.tools
  return input.toolChoice === 'required' && first !== undefined ? { name: first.name, arguments: '{}' } : undefined
}

function countResults({ input }: Pick<TextRequest, 'input'>): number {
  return input.type === 'prompt' ? 0 : input.messages.filter(({ role }) => role === 'tool').length
}

function* callTool(
  { name, arguments: text }: MarkedCall,
  { choices, answered, promptTokens }: { readonly choices: number; readonly answered: number; readonly promptTokens: number },
): Generator<TextPart> {
  yield { type: 'prompt', usage: { promptTokens, cachedTokens: 0 } }
  for (let choice = 0; choice < choices; choice++) {
    yield { type: 'tool-call', choice, index: 0, id: `call_${answered + choice}`, name }
    yield { type: 'tool-arguments', choice, index: 0, fragment: text.slice(0, 1) }
    yield { type: 'tool-arguments', choice, index: 0, fragment: text.slice(1) }
    yield { type: 'choice-finish', choice, reason: 'tool_calls' }
  }
  yield { type: 'finish', usage: { promptTokens, completionTokens: 2 * choices, cachedTokens: 0 } }
}

function tokenize(text: string, spelled: boolean): TokenizeResult {
  const words = text.match(/\S+/g) ?? []
  return { tokens: words.map(hash), spellings: spelled ? words.map((word) => Buffer.from(word)) : null }
}

function embed({ inputs, dimensions = 8 }: EmbeddingRequest): EmbeddingResult {
  const vectors = inputs.map((input) => {
    const raw = Array.from({ length: Math.min(dimensions, 8) }, (_, index) => hash(`${index} ${input}`) / 2 ** 31 - 1)
    const length = Math.hypot(...raw)
    return raw.map((value) => value / length)
  })
  return { vectors, promptTokens: inputs.reduce((sum, input) => sum + (typeof input === 'string' ? countTokens(input) : input.length), 0) }
}

/** The share of the query's words that a document has. */
function rank({ query, documents }: RankRequest): RankResult {
  const requested = wordsOf(query)
  const scores = documents.map((document) => requested.intersection(wordsOf(document)).size / Math.max(1, requested.size))
  return { scores, promptTokens: documents.reduce((sum, document) => sum + countTokens(query) + countTokens(document), 0) }
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\w+/g))
}
