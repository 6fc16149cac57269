import type { EmbeddingRequest, RankRequest, TextGap, TextRequest } from '../../core/text-generation.ts'

/** Tokens that a template writes around each message, at most and at least. */
const perMessage = { most: 16, least: 2 } as const
/** Tokens that begin and end a text. */
const perText = 2
/** Bytes of text that vocabularies make one token of, as a rule. */
const bytesPerToken = 4

/** Between what a prompt surely has and what it may have where only its model could count. */
export interface PromptEstimate {
  /** As text mostly is. */
  readonly least: number
  /** A token for each byte, which no vocabulary exceeds, and what a template writes around each message. */
  readonly most: number
}

/** Tokens that a prompt is expected to have. */
export function estimatePrompt({ input }: TextRequest): PromptEstimate {
  if (input.type === 'prompt' && input.tokens !== undefined) return { least: input.tokens.length, most: input.tokens.length }
  const texts = input.type === 'prompt' ? [input.prompt, ...gapTexts(input.gap)] : input.messages.map(writtenText)
  const tools = input.type === 'prompt' || input.tools.length === 0 ? '' : JSON.stringify(input.tools)
  const bytes = [...texts, tools].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { least: Math.ceil(bytes / bytesPerToken) + texts.length * perMessage.least, most: bytes + texts.length * perMessage.most }
}

/** Tokens that the inputs of an embedding have at most. */
export function estimateInputs({ inputs }: EmbeddingRequest): number {
  return inputs.reduce((sum, input) => sum + perText + (typeof input === 'string' ? Buffer.byteLength(input) : input.length), 0)
}

/** Tokens that documents have at most, each with the query before it. */
export function estimatePairs({ query, documents }: RankRequest): number {
  return documents.reduce((sum, document) => sum + 2 * perText + Buffer.byteLength(query) + Buffer.byteLength(document), 0)
}

function gapTexts(gap: TextGap | undefined): readonly string[] {
  return gap === undefined ? [] : [gap.suffix, ...gap.files.flatMap(({ name, text }) => [name, text])]
}

function writtenText(message: Extract<TextRequest['input'], { readonly type: 'chat' }>['messages'][number]): string {
  return (message.content ?? '') + ('toolCalls' in message ? JSON.stringify(message.toolCalls) : '')
}
