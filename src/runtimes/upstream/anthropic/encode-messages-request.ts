import { createHash } from 'node:crypto'
import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { ChatInput, ChatMessage, SeenPart, TextRequest, ToolCall } from '../../../core/text-generation.ts'

/** Default `max_tokens`, which such servers require: the largest value that all current models allow. */
const usualMaxTokens = 8192

type Turn = { readonly role: 'user' | 'assistant'; readonly content: readonly object[] }

/**
 * The body of POST /messages, always as a stream. It has no seed, and the default temperature is omitted.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the first field that the API does not have.
 */
export function encodeMessagesRequest(request: TextRequest, model: string): Record<string, unknown> {
  const { input, sampling, stop, maxTokens, maxTokensIsDefault } = request
  if (input.type === 'prompt') throw unsupported('prompt', 'only takes conversations; use /v1/chat/completions')
  const strange = findUnsupported(request, input)
  if (strange !== undefined) throw unsupported(strange, 'runs on a server that does not support this; leave it out')
  const system = input.messages.flatMap((message) => (message.role === 'system' ? encodeText(message.content) : []))
  return {
    model,
    max_tokens: maxTokensIsDefault === true ? Math.min(maxTokens, usualMaxTokens) : maxTokens,
    system: system.length > 0 ? system : undefined,
    messages: encodeTurns(input.messages),
    temperature: sampling.temperature === 1 ? undefined : sampling.temperature,
    top_p: sampling.topP < 1 ? sampling.topP : undefined,
    top_k: sampling.topK > 0 ? sampling.topK : undefined,
    ...encodeStops(stop),
    ...encodeThinking(input),
    ...encodeTools(input),
    stream: true,
  }
}

function findUnsupported(
  { sampling, choices, topLogprobs, responseFormat, ending }: TextRequest,
  { opening = 'turn', effort = 'none', effortIsWish = false, dropsOldest = false }: ChatInput,
): string | undefined {
  const requested: readonly (readonly [name: string, isRequested: boolean])[] = [
    ['temperature', sampling.temperature > 1],
    ['frequency_penalty', sampling.frequencyPenalty !== 0],
    ['presence_penalty', sampling.presencePenalty !== 0],
    ['repetition_penalty', sampling.repetitionPenalty !== 1],
    ['min_p', sampling.minP > 0],
    ['logit_bias', sampling.logitBias.size > 0],
    ['n', choices > 1],
    ['logprobs', topLogprobs !== null],
    ['response_format', responseFormat.type !== 'text'],
    ['truncation', dropsOldest],
    ['add_generation_prompt', opening === 'bare'],
    ['reasoning_effort', effort !== 'none' && !effortIsWish],
    ['include_stop_str_in_output', ending?.includeStop === true],
    ['stop_token_ids', ending !== undefined && ending.stopTokens.length > 0],
    ['min_tokens', ending !== undefined && ending.minTokens > 0],
    ['ignore_eos', ending?.ignoreEnd === true],
  ]
  return requested.find(([, isRequested]) => isRequested)?.[0]
}

/** Such servers reject blank stop strings, at which the answer is cut off here. */
function encodeStops(stop: readonly string[]): Record<string, unknown> {
  const known = stop.filter((text) => text.trim() !== '')
  return known.length > 0 ? { stop_sequences: known } : {}
}

/** Thinking is enabled only without tools: beside calls such servers require the signatures of earlier thinking, which are not kept. */
function encodeThinking({ thoughtTokens = 0, tools }: ChatInput): Record<string, unknown> {
  return thoughtTokens > 0 && tools.length === 0 ? { thinking: { type: 'enabled', budget_tokens: thoughtTokens } } : {}
}

/** The turns of a conversation, without empty blocks and turns, which such servers reject. */
function encodeTurns(messages: readonly ChatMessage[]): readonly Turn[] {
  const called = new Set<string>()
  const turns = messages.flatMap((message): readonly Turn[] => {
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) called.add(id)
    return encodeMessage(message, called)
  })
  return mergeTurns(turns.filter(({ content }) => content.length > 0))
}

function encodeMessage(message: ChatMessage, called: ReadonlySet<string>): readonly Turn[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [{ role: 'user', content: message.parts?.flatMap(encodePart) ?? encodeText(message.content) }]
    case 'tool': {
      // A result without its call, in a conversation whose beginning was dropped, would be rejected.
      if (!called.has(message.toolCallId)) return [{ role: 'user', content: encodeText(message.content) }]
      return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: encodeId(message.toolCallId), content: message.content }] }]
    }
    case 'assistant':
      return [{ role: 'assistant', content: [...encodeText(message.content ?? ''), ...(message.toolCalls ?? []).map(encodeToolCall)] }]
  }
}

function encodeText(text: string): readonly object[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function encodePart(part: SeenPart): readonly object[] {
  if (part.type === 'text') return encodeText(part.text)
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.base64 } }]
}

function encodeToolCall({ id, name, arguments: written }: ToolCall): object {
  return { type: 'tool_use', id: encodeId(id), name, input: readArguments(written) }
}

/** Replaces characters that such servers reject in ids, such as dots and colons. */
function encodeId(id: string): string {
  if (/^[\w-]{1,256}$/.test(id)) return id
  return `toolu_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`
}

/** Arguments as an object; invalid or truncated JSON becomes a string in one. */
function readArguments(written: string): object {
  try {
    const value: unknown = JSON.parse(written)
    if (isRecord(value)) return value
  } catch {}
  return written.trim() === '' ? {} : { arguments: written }
}

/** Results of several tools form one turn, since turns must alternate. */
function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) merged[merged.length - 1] = { role: turn.role, content: [...last.content, ...turn.content] }
    else merged.push(turn)
  }
  return merged
}

function encodeTools({ tools, toolChoice, parallelToolCalls }: ChatInput): Record<string, unknown> {
  if (tools.length === 0) return {}
  const type = { auto: 'auto', none: 'none', required: 'any' } as const
  const choice = typeof toolChoice === 'string' ? { type: type[toolChoice] } : { type: 'tool', name: toolChoice.name }
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      name,
      description: description ?? undefined,
      input_schema: { type: 'object', ...parameters },
      strict,
    })),
    tool_choice: { ...choice, disable_parallel_tool_use: parallelToolCalls || toolChoice === 'none' ? undefined : true },
  }
}

function unsupported(param: string, reason: string): ServiceError {
  return new ServiceError('unsupported_parameter', `${param}: this model ${reason}.`, { param })
}
