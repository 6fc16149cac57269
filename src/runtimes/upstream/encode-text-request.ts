import { ServiceError } from '../../core/error.ts'
import type { ChatInput, ChatMessage, EndingRules, ResponseFormat, SeenPart, TextRequest, ToolChoice } from '../../core/text-generation.ts'

/** Omits a field that has no effect, for upstreams that know only OpenAI's own fields: JSON leaves undefined out. */
const unlessOff = (value: number, off: number) => (value === off ? undefined : value)

/** The body of POST /chat/completions or /completions for an upstream, always as a stream with usage. */
export function encodeTextRequest(request: TextRequest, model: string): Record<string, unknown> {
  const { input, sampling, stop, topLogprobs } = request
  if (input.type === 'chat' && input.dropsOldest === true)
    throw new ServiceError(
      'unsupported_parameter',
      'This model runs on a server whose context is not known here; leave `truncation` out.',
      { param: 'truncation' },
    )
  if (input.type === 'prompt' && input.gap !== undefined)
    throw new ServiceError('unsupported_parameter', 'This model runs on a server without fill-in-the-middle; use a model that runs here.', {
      param: 'model',
    })
  return {
    model,
    ...(input.type === 'prompt' ? { prompt: input.tokens ?? input.prompt, echo: input.echo } : encodeChat(input)),
    max_tokens: request.maxTokensIsDefault !== true || input.type === 'prompt' ? request.maxTokens : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    top_k: unlessOff(sampling.topK, 0),
    min_p: unlessOff(sampling.minP, 0),
    repetition_penalty: unlessOff(sampling.repetitionPenalty, 1),
    seed: sampling.seed,
    logit_bias: sampling.logitBias.size > 0 ? Object.fromEntries(sampling.logitBias) : undefined,
    stop: stop.length > 0 ? stop : undefined,
    ...encodeEnding(request.ending),
    n: unlessOff(request.choices, 1),
    ...(topLogprobs !== null && (input.type === 'prompt' ? { logprobs: topLogprobs } : { logprobs: true, top_logprobs: topLogprobs })),
    response_format: encodeFormat(request.responseFormat),
    stream: true,
    stream_options: { include_usage: true },
  }
}

function encodeChat({
  messages,
  tools,
  toolChoice,
  parallelToolCalls,
  opening = 'turn',
  effortIsWish = false,
  ...thinking
}: Extract<TextRequest['input'], { type: 'chat' }>) {
  const fields = {
    messages: messages.map(encodeMessage),
    ...(!effortIsWish && encodeThinking(thinking)),
    add_generation_prompt: opening === 'turn' ? undefined : false,
    continue_final_message: opening === 'last-message' ? true : undefined,
  }
  if (tools.length === 0) return fields
  return {
    ...fields,
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: { name, description: description ?? undefined, parameters, strict },
    })),
    tool_choice: encodeToolChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
  }
}

/** Each server has its own name for a thinking budget and ignores the others' names. Chat templates get the switch. */
function encodeThinking({ effort, thinks, thoughtTokens }: Pick<ChatInput, 'effort' | 'thinks' | 'thoughtTokens'>): object {
  return {
    reasoning_effort: effort,
    chat_template_kwargs: thinks === undefined ? undefined : { enable_thinking: thinks, thinking: thinks },
    thinking_budget: thoughtTokens,
    thinking_budget_tokens: thoughtTokens,
    thinking_token_budget: thoughtTokens,
  }
}

/** Fields of vLLM and SGLang, omitted if they have no effect. */
function encodeEnding(ending: EndingRules | undefined): Record<string, unknown> {
  if (ending === undefined) return {}
  return {
    include_stop_str_in_output: ending.includeStop || undefined,
    stop_token_ids: ending.stopTokens.length > 0 ? ending.stopTokens : undefined,
    min_tokens: unlessOff(ending.minTokens, 0),
    ignore_eos: ending.ignoreEnd || undefined,
  }
}

function encodeMessage(message: ChatMessage): Record<string, unknown> {
  const { role, content, name } = message
  if (role === 'tool') return { role, content, tool_call_id: message.toolCallId, name }
  if (role === 'user' && message.parts !== undefined) return { role, content: message.parts.map(encodePart), name }
  if (role !== 'assistant') return { role, content, name }
  const toolCalls = message.toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  return { role, content, reasoning_content: message.thoughts, name, tool_calls: toolCalls }
}

function encodePart(part: SeenPart): Record<string, unknown> {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const url = `data:${part.mediaType};base64,${part.base64}`
  return { type: 'image_url', image_url: { url, detail: part.detail } }
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

function encodeFormat(format: ResponseFormat): object | undefined {
  if (format.type === 'text') return undefined
  if (format.type === 'grammar' || format.type === 'regex' || format.type === 'choice')
    throw new ServiceError(
      'unsupported_parameter',
      `This model runs on another server, which may not support ${format.field}; leave it out.`,
      { param: format.field },
    )
  if (format.type === 'json_object') return { type: 'json_object' }
  const { schema, name = 'answer', description, strict } = format
  return { type: 'json_schema', json_schema: { name, schema, description, strict } }
}
