import type { TextResult } from '../../../operations/collect-text.ts'
import type { Answer } from '../answer.ts'
import type { chatCompletionSchema } from '../chat/text-answers.ts'

/** Reads the stored output of deferred work: a chat completion written by this service. */
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
      reason: finish_reason === 'function_call' ? 'tool_calls' : finish_reason,
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
