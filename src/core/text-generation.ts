/** One message of a conversation. `developer` is read as `system` before it gets here. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string }

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string | null
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** What the output must look like. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: JsonObject }

/** How tokens are drawn; every default has been filled in. */
export interface SamplingParameters {
  /** 0 (greedy) to 2. */
  readonly temperature: number
  /** 0 to 1. */
  readonly topP: number
  /** 0 = off. */
  readonly topK: number
  /** 0 to 1; 0 = off. */
  readonly minP: number
  readonly frequencyPenalty: number
  readonly presencePenalty: number
  /** 1 = off. */
  readonly repetitionPenalty: number
  /** 0 to 2^32 − 1: the same seed, the same text. */
  readonly seed: number
  /** Token id to a bias of −100 to 100. */
  readonly logitBias: ReadonlyMap<number, number>
}

/** Tokens that a chat request which names no limit gets at most. */
export const defaultMaxTokens = 512

/** Text generation as the runtimes see it: a conversation, or a bare prompt. */
export interface TextRequest {
  readonly model: string
  readonly input:
    | {
        readonly type: 'chat'
        readonly messages: readonly ChatMessage[]
        readonly tools: readonly ToolDefinition[]
        readonly toolChoice: ToolChoice
        readonly parallelToolCalls: boolean
      }
    | { readonly type: 'prompt'; readonly prompt: string; readonly echo: boolean }
  /** Most tokens per choice; the context may end one earlier. */
  readonly maxTokens: number
  /** Set when nobody named {@link maxTokens}, so that a budget may shorten it. */
  readonly maxTokensIsDefault?: boolean
  readonly sampling: SamplingParameters
  /** At most 16; none of them is part of the output. */
  readonly stop: readonly string[]
  /** Completions to make, 1 to 16. */
  readonly choices: number
  /** null = no log probabilities; else how many alternatives per token, 0 to 20. */
  readonly topLogprobs: number | null
  readonly responseFormat: ResponseFormat
}

export type FinishReason = 'stop' | 'length' | 'tool_calls'

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  /** The token's UTF-8 bytes. */
  readonly bytes: readonly number[]
  readonly top: readonly { readonly token: string; readonly logprob: number; readonly bytes: readonly number[] }[]
}

export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Prompt tokens whose state was reused. */
  readonly cachedTokens: number
}

/**
 * What a text model yields: text and tool calls of each choice in order, one `choice-finish` per choice,
 * and at the very end exactly one `finish`.
 */
export type TextPart =
  | { readonly type: 'text'; readonly choice: number; readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  | { readonly type: 'tool-call'; readonly choice: number; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-arguments'; readonly choice: number; readonly index: number; readonly fragment: string }
  | { readonly type: 'choice-finish'; readonly choice: number; readonly reason: FinishReason }
  | { readonly type: 'finish'; readonly usage: TokenUsage }

export interface EmbeddingRequest {
  readonly model: string
  readonly inputs: readonly string[]
}

export interface EmbeddingResult {
  /** One vector of unit length per input. */
  readonly vectors: readonly (readonly number[])[]
  readonly promptTokens: number
}
