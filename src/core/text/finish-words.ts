import type { FinishReason } from '../text-generation.ts'

/** The value of a finish reason in each API. */
interface FinishWords {
  /** `finish_reason` of chats and completions. */
  readonly openAi: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  /** `stop_reason` of Anthropic's messages; with a matched stop string, `end_turn` becomes `stop_sequence`. */
  readonly anthropic: 'end_turn' | 'max_tokens' | 'tool_use' | 'refusal' | 'pause_turn'
  /** `incomplete_details.reason` of OpenAI's Responses; null = the response is complete. */
  readonly responses: 'max_output_tokens' | 'content_filter' | null
  /** `stop_type` of llama.cpp's server; with a matched stop string, `eos` becomes `word`. */
  readonly llamaCpp: 'eos' | 'limit'
}

/** The values of each finish reason. */
export const finishWords: Readonly<Record<FinishReason, FinishWords>> = {
  stop: { openAi: 'stop', anthropic: 'end_turn', responses: null, llamaCpp: 'eos' },
  length: { openAi: 'length', anthropic: 'max_tokens', responses: 'max_output_tokens', llamaCpp: 'limit' },
  tool_calls: { openAi: 'tool_calls', anthropic: 'tool_use', responses: null, llamaCpp: 'eos' },
  content_filter: { openAi: 'content_filter', anthropic: 'refusal', responses: 'content_filter', llamaCpp: 'eos' },
  // Only Anthropic has a value for a turn to be continued; elsewhere it counts as truncated.
  pause: { openAi: 'length', anthropic: 'pause_turn', responses: 'max_output_tokens', llamaCpp: 'limit' },
}

/** Values sent by servers for each finish reason, in lower case; `failed` = the server gave up. Unknown values count as `stop`. */
const serverWords: Readonly<Record<FinishReason | 'failed', readonly string[]>> = {
  stop: [
    ...['stop', 'stop_sequence', 'end_turn', 'end', 'eos', 'eos_token', 'word', 'complete', 'completed', 'done', 'finished'],
    ...['finish_reason_unspecified', 'unload', 'load'],
  ],
  length: [
    ...['length', 'limit', 'max_tokens', 'max_output_tokens', 'max_new_tokens', 'max_length', 'max_tokens_reached', 'token_limit'],
    ...['model_length', 'model_context_window_exceeded', 'context_length', 'context_length_exceeded', 'context_window_exceeded'],
    ...['incomplete', 'time_limit', 'timeout', 'error_limit', 'maxpredictedtokensreached', 'contextlengthreached'],
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_call', 'function_calls', 'toolcalls'],
  content_filter: [
    ...['content_filter', 'content_filtered', 'refusal', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii', 'sensitive'],
    ...['guardrail_intervened', 'error_toxic', 'image_safety', 'language', 'model_armor', 'moderation'],
  ],
  pause: ['pause', 'pause_turn'],
  failed: [
    ...['abort', 'aborted', 'error', 'failed', 'cancelled', 'canceled', 'user_cancel', 'insufficient_system_resource', 'network_error'],
    ...['model_error', 'malformed_function_call', 'unexpected_tool_call', 'too_many_tool_calls', 'modelunloaded'],
  ],
}

const reasonByWord = new Map(
  Object.entries(serverWords).flatMap(([reason, words]) => words.map((word) => [word, reason as FinishReason | 'failed'] as const)),
)

/**
 * Maps a server's finish value to a finish reason. Gemini adds its own after a colon: `content_filter: PROHIBITED_CONTENT`. Servers confuse
 * `stop` and `tool_calls`: both are `stop` here, and the calls of the answer decide.
 */
export function readFinishWord(word: string): Exclude<FinishReason, 'tool_calls'> | 'failed' {
  const words = word.toLowerCase().split(': ').toReversed()
  const reason = words.map((each) => reasonByWord.get(each)).find((known) => known !== undefined) ?? 'stop'
  return reason === 'tool_calls' ? 'stop' : reason
}
