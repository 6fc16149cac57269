import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { ChatInput, ChatMessage, SeenPart, TextRequest, ToolCall } from '../../../core/text-generation.ts'

type Turn = { readonly role: 'user' | 'assistant'; readonly content: readonly object[] }

/**
 * The body of POST /messages, always as a stream. A seed has no counterpart there and is not sent, nor is the temperature that is usual there too.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the first field that the interface has no words for.
 */
export function encodeMessagesRequest(request: TextRequest, model: string): Record<string, unknown> {
  const { input, sampling, stop, maxTokens } = request
  if (input.type === 'prompt') throw unsupported('prompt', 'only takes conversations; use /v1/chat/completions')
  const strange = findStrange(request, input)
  if (strange !== undefined) throw unsupported(strange, 'runs on a server that does not know this; leave it out')
  const system = input.messages.flatMap((message) => (message.role === 'system' ? [{ type: 'text', text: message.content }] : []))
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages: mergeTurns(input.messages.flatMap(encodeMessage)),
    ...(sampling.temperature !== 1 && { temperature: sampling.temperature }),
    ...(sampling.topP < 1 && { top_p: sampling.topP }),
    ...(sampling.topK > 0 && { top_k: sampling.topK }),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...encodeThinking(input),
    ...encodeTools(input),
    stream: true,
  }
}

function findStrange(
  { sampling, choices, topLogprobs, responseFormat, ending }: TextRequest,
  { opening = 'turn', effort = 'none', effortIsWish = false }: ChatInput,
): string | undefined {
  const asked: readonly (readonly [name: string, isAsked: boolean])[] = [
    ['temperature', sampling.temperature > 1],
    ['frequency_penalty', sampling.frequencyPenalty !== 0],
    ['presence_penalty', sampling.presencePenalty !== 0],
    ['repetition_penalty', sampling.repetitionPenalty !== 1],
    ['min_p', sampling.minP > 0],
    ['logit_bias', sampling.logitBias.size > 0],
    ['n', choices > 1],
    ['logprobs', topLogprobs !== null],
    ['response_format', responseFormat.type !== 'text'],
    ['add_generation_prompt', opening === 'bare'],
    ['reasoning_effort', effort !== 'none' && !effortIsWish],
    ['include_stop_str_in_output', ending?.includeStop === true],
    ['stop_token_ids', ending !== undefined && ending.stopTokens.length > 0],
    ['min_tokens', ending !== undefined && ending.minTokens > 0],
    ['ignore_eos', ending?.ignoreEnd === true],
  ]
  return asked.find(([, isAsked]) => isAsked)?.[0]
}

/** Thoughts of earlier turns come without the signatures that such servers want to see again beside calls, so that none are asked for there. */
function encodeThinking({ thoughtTokens = 0, tools }: ChatInput): Record<string, unknown> {
  return thoughtTokens > 0 && tools.length === 0 ? { thinking: { type: 'enabled', budget_tokens: thoughtTokens } } : {}
}

function encodeMessage(message: ChatMessage): Turn[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [{ role: 'user', content: message.parts?.map(encodePart) ?? [{ type: 'text', text: message.content }] }]
    case 'tool':
      return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }] }]
    case 'assistant': {
      const text = message.content ? [{ type: 'text', text: message.content }] : []
      return [{ role: 'assistant', content: [...text, ...(message.toolCalls ?? []).map(encodeToolCall)] }]
    }
  }
}

function encodePart(part: SeenPart): object {
  if (part.type === 'text') return part
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.base64 } }
}

function encodeToolCall({ id, name, arguments: written }: ToolCall): object {
  return { type: 'tool_use', id, name, input: readArguments(written) }
}

function readArguments(written: string): object {
  try {
    const value: unknown = JSON.parse(written)
    if (isRecord(value)) return value
  } catch {}
  throw new ServiceError('invalid_request_error', 'The arguments of a tool call must be a JSON object; mend them in the message.', {
    param: 'messages',
  })
}

/** Results of several tools are one turn there, as turns alternate. */
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
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== null && { description }),
      input_schema: { type: 'object', ...parameters },
    })),
    tool_choice: { ...choice, ...(!parallelToolCalls && toolChoice !== 'none' && { disable_parallel_tool_use: true }) },
  }
}

function unsupported(param: string, reason: string): ServiceError {
  return new ServiceError('unsupported_parameter', `${param}: this model ${reason}.`, { param })
}
