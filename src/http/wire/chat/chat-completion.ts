import { finishWords } from '../../../core/text/finish-words.ts'
import type { TextRequest, ToolCall } from '../../../core/text-generation.ts'
import { type TextChoice, type TextResult, warningsOf } from '../../../operations/collect-text.ts'
import type { Answer } from '../answer.ts'
import { encodeChatLogprobs } from './chat-logprobs.ts'
import type { CompletionHead } from './completion-head.ts'
import type { chatCompletionSchema } from './text-answers.ts'
import { encodeTokenUsage } from './token-usage.ts'

type ChatCompletion = Answer<typeof chatCompletionSchema>
type Choice = ChatCompletion['choices'][number]

/** The answer of a chat completion that is not streamed. */
export function encodeChatCompletion(head: CompletionHead, request: TextRequest, result: TextResult): ChatCompletion {
  return {
    id: head.id,
    choices: result.choices.map((choice, index) => encodeChoice(choice, index, request.topLogprobs !== null)),
    created: head.created,
    model: head.model,
    object: 'chat.completion',
    system_fingerprint: null,
    ...(head.tier && { service_tier: head.tier }),
    usage: encodeTokenUsage(result.usage),
    ...warningsOf(result),
  }
}

function encodeChoice(choice: TextChoice, index: number, withLogprobs: boolean): Choice {
  const calls = choice.toolCalls
  return {
    index,
    message: {
      role: 'assistant',
      content: calls.length > 0 && choice.text === '' ? null : choice.text,
      ...(choice.thoughts.length > 0 && { reasoning_content: choice.thoughts }),
      function_call: null,
      ...(calls.length > 0 && { tool_calls: calls.map(encodeToolCall) }),
    },
    delta: null,
    finish_reason: finishWords[choice.reason].openAi,
    ...(withLogprobs && { logprobs: encodeChatLogprobs(choice.logprobs) }),
  }
}

function encodeToolCall({ id, name, arguments: text }: ToolCall): NonNullable<Choice['message']['tool_calls']>[number] {
  return { id, type: 'function', function: { name, arguments: text } }
}
