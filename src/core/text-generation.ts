import type { JsonObject } from './json-value.ts'

/** One message of a conversation. The role `developer` has already been replaced by `system`. */
export type ChatMessage = {
  /** Name of the speaker or tool; absent = none. */
  readonly name?: string
} & (
  | { readonly role: 'system' | 'user'; readonly content: string; readonly parts?: readonly SeenPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly toolCalls?: readonly ToolCall[]
      /** Reasoning before this message; absent = unknown. */
      readonly thoughts?: string
    }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string }
)

/** A part of a message that is not only text; `content` then holds its texts alone. */
export type SeenPart = { readonly type: 'text'; readonly text: string } | PicturePart

/** A picture in a message. */
export interface PicturePart {
  readonly type: 'picture'
  /** Media type, such as `image/png`. */
  readonly mediaType: string
  readonly base64: string
  /** Resolution hint; absent = the model's default. */
  readonly detail?: 'auto' | 'low' | 'high' | 'original'
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text written by the model. */
  readonly arguments: string
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string | null
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
  /** Whether calls must be valid under the schema, for servers that support this; absent = not specified. */
  readonly strict?: boolean
  /** Client format of the calls: one text `input`, or OpenAI's legacy `function_call`; absent = a function call. */
  readonly calledAs?: 'text' | 'only'
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** An answer that is valid under a JSON schema. */
export interface JsonSchemaFormat {
  readonly type: 'json_schema'
  readonly schema: JsonObject
  readonly field?: string
  /** Whether a schema with unsupported parts is refused; absent = not specified. */
  readonly strict?: boolean
  /** Name of the schema, for servers that pass it to their models. */
  readonly name?: string
  readonly description?: string
}

/** Format of the output; `field` is the request's field that set it, absent = `response_format`. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | JsonSchemaFormat
  /** GBNF with a rule `root`. */
  | { readonly type: 'grammar'; readonly grammar: string; readonly field: string }
  /** A regular expression that the whole output matches. */
  | { readonly type: 'regex'; readonly pattern: string; readonly field: string }
  /** One of these texts, at least one. */
  | { readonly type: 'choice'; readonly options: readonly string[]; readonly field: string }

/** Reasoning efforts, from none upwards. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]

/** Rules for ending an answer, besides its limit, its stop strings and the model's end token. */
export interface EndingRules {
  /** Whether the stop string that ends an answer is part of it. */
  readonly includeStop: boolean
  /** Tokens that end an answer and are not part of it. */
  readonly stopTokens: readonly number[]
  /** Minimum number of tokens; until then only the limit and the context end an answer. */
  readonly minTokens: number
  /** Whether the model's end token is suppressed. */
  readonly ignoreEnd: boolean
}

/** Sampling parameters, with defaults applied. */
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
  /** 0 to 2^32 − 1; the same seed gives the same text. */
  readonly seed: number
  /** Token id to a bias of −100 to 100. */
  readonly logitBias: ReadonlyMap<number, number>
}

/** The request fields that can hold the model's input. */
export type PromptField = 'messages' | 'prompt' | 'input' | 'content' | 'documents'

/** The request field that holds the conversation or text. */
export function promptField({ type }: Pick<(TextRequest | TokenizeRequest)['input'], 'type'>): 'messages' | 'prompt' {
  return type === 'chat' ? 'messages' : 'prompt'
}

/** Maximum tokens of stored work without a limit. */
export const defaultMaxTokens = 512

/** A text generation request for a runtime: a conversation or a plain prompt. */
export interface TextRequest {
  readonly model: string
  readonly input:
    | {
        readonly type: 'chat'
        readonly messages: readonly ChatMessage[]
        readonly tools: readonly ToolDefinition[]
        readonly toolChoice: ToolChoice
        readonly parallelToolCalls: boolean
        /** Start of the answer: a new assistant turn (the default), a continuation of the last message, or no turn at all. */
        readonly opening?: 'turn' | 'last-message' | 'bare'
        /** Reasoning effort; absent = the model's default. */
        readonly effort?: ReasoningEffort
        /** Whether the effort is a preference: models without such a setting ignore it instead of refusing the request. */
        readonly effortIsWish?: boolean
        /** Whether to reason, if no effort is given; absent = the model's default. */
        readonly thinks?: boolean
        /** Whether the oldest turns may be dropped if the conversation exceeds the context; absent = it is refused. */
        readonly dropsOldest?: boolean
        /** Maximum reasoning tokens per answer; absent = determined by the effort. */
        readonly thoughtTokens?: number
      }
    | {
        readonly type: 'prompt'
        /** Empty if {@link tokens} is given. */
        readonly prompt: string
        /** Prompt as token ids, at least one; absent = text. */
        readonly tokens?: readonly number[]
        /** Whether the spelling of control tokens is read as tokens; absent = as text. */
        readonly special?: boolean
        /** Text after the gap and related files, for fill-in-the-middle; absent = plain continuation. */
        readonly gap?: TextGap
        /** Whether the answer repeats the prompt, including log probabilities. */
        readonly echo: boolean
      }
  /** Maximum tokens per choice; the context may end one earlier. 0 = only read the prompt. */
  readonly maxTokens: number
  /** Set if the client gave no {@link maxTokens}; the context and a budget may then shorten it. */
  readonly maxTokensIsDefault?: boolean
  readonly sampling: SamplingParameters
  /** Up to 64; left out of the output unless the ending rules include them. */
  readonly stop: readonly string[]
  /** Number of completions, 1 to 16. */
  readonly choices: number
  /** Alternatives per token, 0 to 20; null = no log probabilities. */
  readonly topLogprobs: number | null
  /** Whether to return token ids with the text if the runtime reports them; absent = no. */
  readonly tellsTokens?: boolean
  readonly responseFormat: ResponseFormat
  /** LoRA adapters to apply; absent = none. */
  readonly adapters?: readonly AdapterUse[]
  /** Absent = no further rules. */
  readonly ending?: EndingRules
  /** Priority among the requests of the account, lower first; absent = 0. */
  readonly priority?: number
}

/** A LoRA adapter for a language model with its scale. */
export interface AdapterUse {
  readonly name: string
  /** −10 to 10, not 0; 1 = as it was trained. */
  readonly scale: number
}

/** The text after a gap to fill. */
export interface TextGap {
  readonly suffix: string
  /** Other files of the same project. */
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** Why a choice ended: `content_filter` is a refusal; `pause` is a turn that continues when the client sends it back. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause'

export interface UnscoredToken {
  /** Absent = not reported by the runtime. */
  readonly id?: number
  readonly token: string
  /** The token's UTF-8 bytes. */
  readonly bytes: readonly number[]
}

export interface TokenLogprob extends UnscoredToken {
  readonly logprob: number
  readonly top: readonly (UnscoredToken & { readonly logprob: number })[]
}

/** Token counts of a prompt after it has been processed. */
export interface PromptUsage {
  readonly promptTokens: number
  /** Prompt tokens served from the cache. */
  readonly cachedTokens: number
}

export interface TokenUsage extends PromptUsage {
  readonly completionTokens: number
  /** Reasoning tokens in the completion; absent = none, or not reported by the runtime. */
  readonly thoughtTokens?: number
}

/**
 * A part of a text model's output. Order: at most one `prompt` first, text and tool calls of each choice in order, one `choice-finish` per
 * choice, and at the very end exactly one `finish`.
 */
export type TextPart =
  /** The prompt has been processed; absent if the runtime reports it only at the end. */
  | { readonly type: 'prompt'; readonly usage: PromptUsage }
  | {
      readonly type: 'text'
      readonly choice: number
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[]
      /** Token ids, if requested and reported by the runtime. */
      readonly tokens?: readonly number[]
      /** The token before the first one with log probabilities: the first of a prompt, which has none. */
      readonly unscored?: UnscoredToken
    }
  /** A piece of the reasoning before the answer. */
  | { readonly type: 'thoughts'; readonly choice: number; readonly text: string }
  | { readonly type: 'tool-call'; readonly choice: number; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-arguments'; readonly choice: number; readonly index: number; readonly fragment: string }
  /** `stop`: the matched stop string, if any and if reported by the runtime. `warnings`: parts of the request that were not followed. */
  | {
      readonly type: 'choice-finish'
      readonly choice: number
      readonly reason: FinishReason
      readonly stop?: string
      readonly warnings?: readonly string[]
    }
  | { readonly type: 'finish'; readonly usage: TokenUsage }

/** A conversation to count or to answer. */
export type ChatInput = Extract<TextRequest['input'], { readonly type: 'chat' }>

/** Input to tokenize. */
export interface TokenizeRequest {
  readonly model: string
  readonly input:
    | ChatInput
    | {
        readonly type: 'text'
        readonly text: string
        /** Whether to add the tokens the model puts around a text. */
        readonly framed: boolean
        /** Whether the spelling of control tokens is read as tokens. */
        readonly special: boolean
      }
  /** Whether to return the spelling of each token. */
  readonly spelled: boolean
  /** Whether to return the prompt text rendered from a conversation; absent = no. */
  readonly written?: boolean
}

export interface TokenizeResult {
  readonly tokens: readonly number[]
  /** UTF-8 bytes of each token, if requested. */
  readonly spellings: readonly Uint8Array[] | null
  /** The prompt text rendered from a conversation, if requested and reported by the runtime. */
  readonly prompt?: string
}

export interface DetokenizeRequest {
  readonly model: string
  readonly tokens: readonly number[]
}

export interface DetokenizeResult {
  readonly text: string
}

export interface EmbeddingRequest {
  readonly model: string
  /** Texts, or token ids of texts. */
  readonly inputs: readonly (string | readonly number[])[]
  /** The request field that holds them, for errors; absent = `input`. */
  readonly field?: 'input' | 'content'
  /** Leading dimensions of each vector to keep; absent = all. */
  readonly dimensions?: number
}

/** Documents to score against a query. */
export interface RankRequest {
  readonly model: string
  readonly query: string
  /** At least one. */
  readonly documents: readonly string[]
}

export interface RankResult {
  /** Relevance of each document, higher is better: 0 to 1 for local models; otherwise as reported by the server. */
  readonly scores: readonly number[]
  /** Total over all pairs of query and document. */
  readonly promptTokens: number
}

export interface EmbeddingResult {
  /** One vector of unit length per input. */
  readonly vectors: readonly (readonly number[])[]
  readonly promptTokens: number
}
