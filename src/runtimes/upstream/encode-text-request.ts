import { defined } from '../../core/defined.ts'
import { ServiceError } from '../../core/error.ts'
import type { ChatInput, ChatMessage, EndingRules, ResponseFormat, SeenPart, TextRequest, ToolChoice } from '../../core/text-generation.ts'

/** Omits a field that has no effect, for upstreams that know only OpenAI's own fields. */
const unlessOff = (name: string, value: number, off: number) => (value === off ? {} : { [name]: value })

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
    ...(request.maxTokensIsDefault !== true || input.type === 'prompt' ? { max_tokens: request.maxTokens } : {}),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    ...unlessOff('top_k', sampling.topK, 0),
    ...unlessOff('min_p', sampling.minP, 0),
    ...unlessOff('repetition_penalty', sampling.repetitionPenalty, 1),
    seed: sampling.seed,
    ...(sampling.logitBias.size > 0 && { logit_bias: Object.fromEntries(sampling.logitBias) }),
    ...(stop.length > 0 && { stop }),
    ...encodeEnding(request.ending),
    ...unlessOff('n', request.choices, 1),
    ...(topLogprobs !== null && (input.type === 'prompt' ? { logprobs: topLogprobs } : { logprobs: true, top_logprobs: topLogprobs })),
    ...encodeFormat(request.responseFormat),
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
    ...(opening !== 'turn' && { add_generation_prompt: false }),
    ...(opening === 'last-message' && { continue_final_message: true }),
  }
  if (tools.length === 0) return fields
  return {
    ...fields,
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: { name, ...(description !== null && { description }), parameters, ...(strict !== undefined && { strict }) },
    })),
    tool_choice: encodeToolChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
  }
}

/** Each server has its own name for a thinking budget and ignores the others' names. Chat templates get the switch. */
function encodeThinking({ effort, thinks, thoughtTokens }: Pick<ChatInput, 'effort' | 'thinks' | 'thoughtTokens'>): object {
  return defined({
    reasoning_effort: effort,
    chat_template_kwargs: thinks === undefined ? undefined : { enable_thinking: thinks, thinking: thinks },
    thinking_budget: thoughtTokens,
    thinking_budget_tokens: thoughtTokens,
    thinking_token_budget: thoughtTokens,
  })
}

/** Fields of vLLM and SGLang, omitted if they have no effect. */
function encodeEnding(ending: EndingRules | undefined): Record<string, unknown> {
  if (ending === undefined) return {}
  return {
    ...(ending.includeStop && { include_stop_str_in_output: true }),
    ...(ending.stopTokens.length > 0 && { stop_token_ids: ending.stopTokens }),
    ...unlessOff('min_tokens', ending.minTokens, 0),
    ...(ending.ignoreEnd && { ignore_eos: true }),
  }
}

function encodeMessage(message: ChatMessage): Record<string, unknown> {
  const named = message.name === undefined ? {} : { name: message.name }
  if (message.role === 'tool') return { role: 'tool', content: message.content, tool_call_id: message.toolCallId, ...named }
  if (message.role === 'user' && message.parts !== undefined) return { role: 'user', content: message.parts.map(encodePart), ...named }
  if (message.role !== 'assistant') return { role: message.role, content: message.content, ...named }
  const said = {
    role: 'assistant',
    content: message.content,
    ...(message.thoughts !== undefined && { reasoning_content: message.thoughts }),
    ...named,
  }
  if (message.toolCalls === undefined) return said
  const toolCalls = message.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  return { ...said, tool_calls: toolCalls }
}

function encodePart(part: SeenPart): Record<string, unknown> {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const url = `data:${part.mediaType};base64,${part.base64}`
  return { type: 'image_url', image_url: { url, ...(part.detail && { detail: part.detail }) } }
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

function encodeFormat(format: ResponseFormat): Record<string, unknown> {
  if (format.type === 'text') return {}
  if (format.type === 'grammar' || format.type === 'regex' || format.type === 'choice')
    throw new ServiceError(
      'unsupported_parameter',
      `This model runs on another server, which may not support ${format.field}; leave it out.`,
      { param: format.field },
    )
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } }
  const { schema, name = 'answer', description, strict } = format
  const said = defined({ description, strict })
  return { response_format: { type: 'json_schema', json_schema: { name, schema, ...said } } }
}
