/** The body of `POST /v1/chat/completions`, as the public interface spells it. */
export interface ChatRequestBody {
  readonly model: string
  readonly messages: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[]
  readonly max_tokens?: number
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly min_p?: number
  readonly frequency_penalty?: number
  readonly presence_penalty?: number
  readonly repetition_penalty?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly response_format?: { readonly type: 'json_object' }
}
