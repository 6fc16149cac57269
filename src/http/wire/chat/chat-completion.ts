import type { TextRequest, ToolCall } from '../../../core/text-generation.ts'
import { type TextChoice, type TextResult, warningsOf } from '../../../operations/collect-text.ts'
import type { Answer } from '../answer.ts'
import { calledAs, finishWord, inputIn } from './client-calls.ts'
import type { CompletionHead } from './completion.ts'
import { type chatCompletionSchema, encodeLogprobs, encodeTokenUsage } from './text-answers.ts'

type ChatCompletion = Answer<typeof chatCompletionSchema>
type Choice = ChatCompletion['choices'][number]

/** The answer of a chat completion that is not streamed. */
export function encodeChatCompletion(head: CompletionHead, request: TextRequest, result: TextResult): ChatCompletion {
  return {
    id: head.id,
    choices: result.choices.map((choice, index) => encodeChoice(choice, index, request)),
    created: head.created,
    model: head.model,
    object: 'chat.completion',
    system_fingerprint: null,
    service_tier: head.tier,
    usage: encodeTokenUsage(result.usage),
    ...warningsOf(result),
  }
}

function encodeChoice(choice: TextChoice, index: number, request: TextRequest): Choice {
  const calls = choice.toolCalls
  const isOnly = calls.some(({ name }) => calledAs(request, name) === 'only')
  return {
    index,
    message: {
      role: 'assistant',
      content: calls.length > 0 && choice.text === '' ? null : choice.text,
      reasoning_content: choice.thoughts || undefined,
      function_call: isOnly && calls[0] !== undefined ? { name: calls[0].name, arguments: calls[0].arguments } : null,
      tool_calls: calls.length > 0 && !isOnly ? calls.map((call) => encodeToolCall(call, request)) : undefined,
    },
    delta: null,
    finish_reason: finishWord(choice.reason, isOnly),
    logprobs: request.topLogprobs === null ? undefined : { content: encodeLogprobs(choice.logprobs) },
  }
}

function encodeToolCall(
  { id, name, arguments: text }: ToolCall,
  request: TextRequest,
): NonNullable<Choice['message']['tool_calls']>[number] {
  if (calledAs(request, name) === 'text') return { id, type: 'custom', custom: { name, input: inputIn(text) } }
  return { id, type: 'function', function: { name, arguments: text } }
}

/**
 * Reads the stored output of deferred work: a chat completion written by this service. A choice that a failure ended counts as cut at its
 * limit.
 */
export function readStoredChat(json: string): TextResult {
  const { choices, usage, warnings }: Answer<typeof chatCompletionSchema> = JSON.parse(json)
  const thoughtTokens = usage.completion_tokens_details?.reasoning_tokens
  return {
    choices: choices.map(({ message, finish_reason, logprobs }) => ({
      text: message.content ?? '',
      thoughts: message.reasoning_content ?? '',
      toolCalls: (message.tool_calls ?? []).map((call) =>
        call.type === 'custom'
          ? { id: call.id, name: call.custom.name, arguments: JSON.stringify({ input: call.custom.input }) }
          : { id: call.id, name: call.function.name, arguments: call.function.arguments },
      ),
      logprobs: (logprobs?.content ?? []).map(({ top_logprobs: top, ...entry }) => ({ ...entry, top })),
      reason: finish_reason === 'function_call' ? 'tool_calls' : (finish_reason ?? 'length'),
      ...(warnings !== undefined && { warnings }),
    })),
    usage: {
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
      cachedTokens: usage.prompt_tokens_details.cached_tokens,
      ...(thoughtTokens !== undefined && { thoughtTokens }),
    },
  }
}
