import { isRecord } from '../../core/json-value.ts'
import { parseJson } from './parse-json.ts'
import { makeEventError } from './upstream-error.ts'

/** The parts of an upstream's stream that are read. Any field may be missing. */
export interface Chunk {
  readonly choices?: readonly (ChunkChoice | null)[]
  readonly usage?: ChunkUsage | null
  /** Groq only. */
  readonly x_groq?: { readonly usage?: ChunkUsage | null } | null
  /** llama-server only: prompt tokens evaluated, prompt tokens from the cache, and tokens generated. */
  readonly timings?: { readonly prompt_n?: unknown; readonly cache_n?: unknown; readonly predicted_n?: unknown } | null
  readonly error?: unknown
  /** `error` where the whole is one, of older vLLM and FastChat. */
  readonly object?: unknown
  /** Of an event that is an error as a whole, beside its code, type or status. */
  readonly message?: unknown
  readonly code?: unknown
  readonly type?: unknown
  readonly status?: unknown
}

export interface ChunkChoice {
  readonly index?: unknown
  /** Plain completions only. */
  readonly text?: string | null
  /** Some servers send the text alone. */
  readonly delta?: ChunkMessage | string | null
  /** The whole message, from servers that do not stream. */
  readonly message?: ChunkMessage | null
  readonly logprobs?: ({ readonly content?: readonly ChunkLogprob[] | null } & Partial<CompletionLogprobs>) | null
  readonly finish_reason?: unknown
  /** OpenRouter only. */
  readonly error?: unknown
  /** Moonshot only. */
  readonly usage?: ChunkUsage | null
  /** vLLM only: the stop string or token that ended the choice. */
  readonly stop_reason?: string | number | null
}

export interface ChunkMessage {
  /** A string or a list of parts. */
  readonly content?: unknown
  /** OpenAI's refusal, sent instead of content. */
  readonly refusal?: unknown
  /** Reasoning; newer versions of vLLM call it `reasoning`. */
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  /** GitHub Copilot only. */
  readonly reasoning_text?: unknown
  /** Or one alone. */
  readonly tool_calls?: readonly (ChunkToolCall | null)[] | ChunkToolCall | null
  /** The only call, in OpenAI's legacy form. */
  readonly function_call?: ChunkFunction | null
}

/** A piece of a tool call. The first piece has the name. Some servers leave `function` out and put its fields here. */
export interface ChunkToolCall extends ChunkFunction {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: ChunkFunction | null
}

/** Arguments as a JSON string or as an object. */
export interface ChunkFunction {
  readonly name?: unknown
  readonly arguments?: unknown
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
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  /** The same count under the name of OpenAI's Responses API. */
  readonly input_tokens?: unknown
  readonly output_tokens?: unknown
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null
  readonly input_tokens_details?: { readonly cached_tokens?: unknown } | null
  /** Moonshot only. */
  readonly cached_tokens?: unknown
  /** DeepSeek only. */
  readonly prompt_cache_hit_tokens?: unknown
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown } | null
}

/** An upstream's response with embeddings. */
export interface EmbeddingAnswer {
  readonly data?: readonly { readonly index?: number | null; readonly embedding: unknown }[]
  /** The vectors alone, as Ollama's own API sends them. */
  readonly embeddings?: readonly unknown[]
  /** The only vector. */
  readonly embedding?: unknown
  readonly usage?: { readonly prompt_tokens?: unknown; readonly total_tokens?: unknown } | null
}

/** An upstream's response with rerank scores. */
export interface ScoreAnswer {
  /** Of Jina and Cohere, and the bare list of SGLang and TEI. */
  readonly results?: readonly Score[]
  /** Of Voyage. */
  readonly data?: readonly Score[]
  /** The scores alone, in the order of the documents (DeepInfra). */
  readonly scores?: readonly unknown[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly total_tokens?: unknown } | null
  /** Cohere only. */
  readonly meta?: { readonly tokens?: { readonly input_tokens?: unknown } | null } | null
}

export interface Score {
  readonly index: number | string
  /** A number, or its text. */
  readonly relevance_score?: unknown
  /** SGLang's and TEI's name for it. */
  readonly score?: unknown
  readonly meta_info?: { readonly prompt_tokens?: unknown }
}

/** An upstream's list of models. vLLM and SGLang report `max_model_len`, Sepia `context_length`. */
export interface ModelsAnswer {
  readonly data?: readonly ({ readonly id?: unknown; readonly max_model_len?: unknown; readonly context_length?: unknown } | null)[]
}

/** The chunks of an event, mostly one: a list holds several, and null or another single value says nothing; undefined for what is not JSON. */
export function parseChunks(data: string): readonly Chunk[] | undefined {
  const value = parseValue(data)
  if (value === undefined) return undefined
  return (Array.isArray(value) ? value : [value]).filter(isRecord) as readonly Chunk[]
}

/**
 * A response with embeddings, or undefined if it is not JSON. The API of llama.cpp's server without /v1 sends the list alone.
 *
 * @throws {ServiceError} an error that the server reports with status 200.
 */
export function parseEmbeddings(text: string): EmbeddingAnswer | undefined {
  const value = parseAnswer(text)
  return (Array.isArray(value) ? { data: value } : value) as EmbeddingAnswer | undefined
}

/** A response with scores, or undefined if it is not JSON. @throws {ServiceError} an error that the server reports with status 200. */
export function parseScores(text: string): ScoreAnswer | undefined {
  const value = parseAnswer(text)
  return (Array.isArray(value) ? { results: value } : value) as ScoreAnswer | undefined
}

/** A list of models, or undefined if it is not a JSON object. */
export function parseModels(text: string): ModelsAnswer | undefined {
  return parseObject(text) as ModelsAnswer | undefined
}

function parseAnswer(text: string): object | undefined {
  const value = parseObject(text)
  if (isRecord(value) && (value.error || value.object === 'error')) throw makeEventError(value)
  return value
}

function parseObject(text: string): object | undefined {
  const value = parseValue(text)
  return typeof value === 'object' && value !== null ? value : undefined
}

/** Undefined if the text is not JSON. */
function parseValue(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
