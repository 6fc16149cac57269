import type { JsonObject } from './json-value.ts'

/** One message of a conversation. `developer` is read as `system` before it gets here. */
export type ChatMessage = {
  /** The speaker's name, or the tool's; absent = none is given. */
  readonly name?: string
} & (
  | { readonly role: 'system' | 'user'; readonly content: string; readonly parts?: readonly SeenPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly toolCalls?: readonly ToolCall[]
      /** What the model thought before it said this; absent = nothing is known of it. */
      readonly thoughts?: string
    }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string }
)

/** What a message is made of where it is more than text; its `content` is then the texts alone. */
export type SeenPart = { readonly type: 'text'; readonly text: string } | PicturePart

/** A picture that a model looks at. */
export interface PicturePart {
  readonly type: 'picture'
  /** Such as `image/png`. */
  readonly mediaType: string
  readonly base64: string
  /** How closely it is looked at; absent = as the model does by itself. */
  readonly detail?: 'auto' | 'low' | 'high'
}

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
  /** Whether calls have to be valid under it, for servers that know this; absent = the request does not say. */
  readonly strict?: boolean
  /** How its client reads calls of it: as one text, `input`, or as the only call of OpenAI's first interface; absent = as a function's. */
  readonly calledAs?: 'text' | 'only'
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** An answer that is valid under a JSON schema. */
export interface JsonSchemaFormat {
  readonly type: 'json_schema'
  readonly schema: JsonObject
  readonly field?: string
  /** Whether a schema that cannot be followed in every place is refused; absent = the request does not say. */
  readonly strict?: boolean
  /** What the request calls the answer, for servers that show it to their models. */
  readonly name?: string
  readonly description?: string
}

/** What the output must look like; `field` is the request's field that said so, absent = `response_format`. */
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

/** How long a model may be asked to think, from not at all. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]

/** When an answer ends, beside its limit, its stop strings and the model's own end token. */
export interface EndingRules {
  /** Whether the stop string that ends an answer is part of it. */
  readonly includeStop: boolean
  /** Tokens that end an answer and are not part of it. */
  readonly stopTokens: readonly number[]
  /** Tokens before which nothing but the limit and the context end an answer. */
  readonly minTokens: number
  /** Whether the model's own end token never comes. */
  readonly ignoreEnd: boolean
}

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

/** The field of a request that holds what the model reads. */
export type PromptField = 'messages' | 'prompt' | 'input' | 'content' | 'documents'

/** The field of a request with a conversation or a text that does. */
export function promptField({ type }: Pick<(TextRequest | TokenizeRequest)['input'], 'type'>): 'messages' | 'prompt' {
  return type === 'chat' ? 'messages' : 'prompt'
}

/** Tokens that an answer in the console has at most, and those of work that was stored without a limit. */
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
        /** What the answer is: a new turn of the assistant (also when absent), the rest of the last message, or whatever follows the messages. */
        readonly opening?: 'turn' | 'last-message' | 'bare'
        /** How long the model is to think before it answers; absent = as it does by itself. */
        readonly effort?: ReasoningEffort
        /** Set where the effort is only a preference: a model without such a setting ignores it instead of refusing the request. */
        readonly effortIsWish?: boolean
        /** Whether it is to think at all, where no effort is asked for; absent = as it does by itself. */
        readonly thinks?: boolean
        /** Whether the oldest turns may be dropped when the conversation is longer than the context; absent = it is refused. */
        readonly dropsOldest?: boolean
        /** Most tokens of thoughts per answer; absent = as the effort says. */
        readonly thoughtTokens?: number
      }
    | {
        readonly type: 'prompt'
        /** Empty where there are {@link tokens}. */
        readonly prompt: string
        /** The prompt as the model's tokens, at least one; absent = it is text. */
        readonly tokens?: readonly number[]
        /** Whether spellings of control tokens in it become these tokens; absent = they stay text. */
        readonly special?: boolean
        /** What the answer leads over to from the prompt, and what it may know of besides; absent = it just goes on. */
        readonly gap?: TextGap
        /** Whether the answer begins with the prompt, log probabilities included. */
        readonly echo: boolean
      }
  /** Most tokens per choice; the context may end one earlier. 0 = the prompt is only read. */
  readonly maxTokens: number
  /** Set when nobody named {@link maxTokens}, so that the context and a budget may shorten it. */
  readonly maxTokensIsDefault?: boolean
  readonly sampling: SamplingParameters
  /** At most 64; none of them is part of the output unless the ending rules say so. */
  readonly stop: readonly string[]
  /** Completions to make, 1 to 16. */
  readonly choices: number
  /** null = no log probabilities; else how many alternatives per token, 0 to 20. */
  readonly topLogprobs: number | null
  /** Whether text comes with the ids of its tokens, where the runtime knows them; absent = it does not. */
  readonly tellsTokens?: boolean
  readonly responseFormat: ResponseFormat
  /** LoRA adapters that change the model; absent = none. */
  readonly adapters?: readonly AdapterUse[]
  /** Absent = no rules but the ones above. */
  readonly ending?: EndingRules
  /** How urgent it is among the requests of its account, lower first; absent = 0. */
  readonly priority?: number
}

/** A LoRA adapter for a language model, and how strongly it counts. */
export interface AdapterUse {
  readonly name: string
  /** −10 to 10, not 0; 1 = as it was trained. */
  readonly scale: number
}

/** What stands behind a text that is to be filled in. */
export interface TextGap {
  readonly suffix: string
  /** Other files of the same work. */
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** Why a choice ended: `content_filter` is a refusal, `pause` a turn that goes on when it is sent back. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause'

export interface UnscoredToken {
  /** Absent where the runtime does not report it. */
  readonly id?: number
  readonly token: string
  /** The token's UTF-8 bytes. */
  readonly bytes: readonly number[]
}

export interface TokenLogprob extends UnscoredToken {
  readonly logprob: number
  readonly top: readonly (UnscoredToken & { readonly logprob: number })[]
}

/** What is known of a prompt once it has been read. */
export interface PromptUsage {
  readonly promptTokens: number
  /** Prompt tokens whose state was reused. */
  readonly cachedTokens: number
}

export interface TokenUsage extends PromptUsage {
  readonly completionTokens: number
  /** Completion tokens of thoughts; absent = none, or the runtime does not report it. */
  readonly thoughtTokens?: number
}

/**
 * What a text model yields: at most one `prompt` before everything else, text and tool calls of each choice in order,
 * one `choice-finish` per choice, and at the very end exactly one `finish`.
 */
export type TextPart =
  /** The prompt has been read; absent where the runtime reports it only at the end. */
  | { readonly type: 'prompt'; readonly usage: PromptUsage }
  | {
      readonly type: 'text'
      readonly choice: number
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[]
      /** Ids of its tokens, where they were asked for and the runtime tells. */
      readonly tokens?: readonly number[]
      /** The token before those that have log probabilities: the first of a prompt, which follows nothing. */
      readonly unscored?: UnscoredToken
    }
  /** What the model thinks before it answers. */
  | { readonly type: 'thoughts'; readonly choice: number; readonly text: string }
  | { readonly type: 'tool-call'; readonly choice: number; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-arguments'; readonly choice: number; readonly index: number; readonly fragment: string }
  /** `stop`: the stop string that ended it, where one did and the runtime tells. `warnings`: what of the request was not followed. */
  | {
      readonly type: 'choice-finish'
      readonly choice: number
      readonly reason: FinishReason
      readonly stop?: string
      readonly warnings?: readonly string[]
    }
  | { readonly type: 'finish'; readonly usage: TokenUsage }

/** A conversation to count or answer. */
export type ChatInput = Extract<TextRequest['input'], { readonly type: 'chat' }>

/** What to read as tokens. */
export interface TokenizeRequest {
  readonly model: string
  readonly input:
    | ChatInput
    | {
        readonly type: 'text'
        readonly text: string
        /** Whether the tokens that the model puts around a text are added. */
        readonly framed: boolean
        /** Whether spellings of control tokens become these tokens. */
        readonly special: boolean
      }
  /** Whether the answer spells each token. */
  readonly spelled: boolean
  /** Whether it says what a conversation became before it was read as tokens; absent = it does not. */
  readonly written?: boolean
}

export interface TokenizeResult {
  readonly tokens: readonly number[]
  /** Of each token, when asked for: its UTF-8 bytes. */
  readonly spellings: readonly Uint8Array[] | null
  /** The text of the prompt that a conversation became, where it was asked for and the runtime tells. */
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
  /** Texts, or the tokens of texts. */
  readonly inputs: readonly (string | readonly number[])[]
  /** The field that holds them, for errors; absent = `input`. */
  readonly field?: 'input' | 'content'
  /** Leading numbers of each vector to keep; absent = all. */
  readonly dimensions?: number
}

/** Texts to score against a query. */
export interface RankRequest {
  readonly model: string
  readonly query: string
  /** At least one. */
  readonly documents: readonly string[]
}

export interface RankResult {
  /** How well each document answers the query, the higher the better: 0 to 1 of a model that runs here, else as its server says it. */
  readonly scores: readonly number[]
  /** Of all pairs of query and document together. */
  readonly promptTokens: number
}

export interface EmbeddingResult {
  /** One vector of unit length per input. */
  readonly vectors: readonly (readonly number[])[]
  readonly promptTokens: number
}
