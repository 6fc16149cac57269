import { parseJson } from './parse-json.ts'

/** What an upstream streams, as far as it is read; every field may be missing. */
export interface Chunk {
  readonly choices?: readonly ChunkChoice[]
  readonly usage?: ChunkUsage | null
  readonly error?: unknown
}

export interface ChunkChoice {
  readonly index?: number | null
  /** Of a plain completion. */
  readonly text?: string
  readonly delta?: ChunkMessage
  /** The whole of it, of servers that do not stream. */
  readonly message?: ChunkMessage
  readonly logprobs?: ({ readonly content?: readonly ChunkLogprob[] | null } & Partial<CompletionLogprobs>) | null
  readonly finish_reason?: string | null
  /** Of vLLM: the stop string that ended the choice, or the token. */
  readonly stop_reason?: string | number | null
}

export interface ChunkMessage {
  readonly content?: string | null
  /** What is said instead of an answer, of OpenAI. */
  readonly refusal?: string | null
  /** What the model thinks; vLLM's newer name is `reasoning`. */
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly tool_calls?: readonly ChunkToolCall[] | null
}

/** A piece of a tool call; its name comes in the first. */
export interface ChunkToolCall {
  readonly index?: number | null
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null }
}

/** Log probabilities of a plain completion, lists of one length; null for the first token of a prompt. */
export interface CompletionLogprobs {
  readonly tokens: readonly string[]
  readonly token_logprobs: readonly (number | null)[]
  readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[] | null
}

export interface ChunkLogprob {
  readonly token: string
  readonly logprob: number | null
  readonly bytes?: readonly number[] | null
  readonly top_logprobs?: readonly ChunkLogprob[]
}

export interface ChunkUsage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
}

/** What an upstream answers to a request for embeddings. */
export interface EmbeddingAnswer {
  readonly data?: readonly { readonly index: number; readonly embedding: readonly number[] }[]
  readonly usage?: { readonly prompt_tokens?: number }
}

/** What an upstream answers to a request for scores: the shape of Jina and Cohere, or SGLang's, which is the list alone. */
export type ScoreAnswer =
  | readonly Score[]
  | {
      readonly results?: readonly Score[]
      readonly usage?: { readonly prompt_tokens?: number; readonly total_tokens?: number }
    }

export interface Score {
  readonly index: number
  readonly relevance_score?: number
  /** The same in SGLang. */
  readonly score?: number
  readonly meta_info?: { readonly prompt_tokens?: number }
}

/** What an upstream answers to a request for its models; vLLM and SGLang tell `max_model_len`, Sepia `context_length`. */
export interface ModelsAnswer {
  readonly data?: readonly ({ readonly id?: unknown; readonly max_model_len?: unknown; readonly context_length?: unknown } | null)[]
}

/** A chunk of a stream, or undefined for what is no JSON object. */
export function parseChunk(data: string): Chunk | undefined {
  return parseObject(data) as Chunk | undefined
}

/** An answer with embeddings, or undefined for what is no JSON object. */
export function parseEmbeddings(text: string): EmbeddingAnswer | undefined {
  return parseObject(text) as EmbeddingAnswer | undefined
}

/** An answer with scores, or undefined for what is no JSON object. */
export function parseScores(text: string): ScoreAnswer | undefined {
  return parseObject(text) as ScoreAnswer | undefined
}

/** A list of models, or undefined for what is no JSON object. */
export function parseModels(text: string): ModelsAnswer | undefined {
  return parseObject(text) as ModelsAnswer | undefined
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = parseJson(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
