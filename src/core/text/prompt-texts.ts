import type { TextGap, TextRequest } from '../text-generation.ts'

/** Tokens of a picture of about a megapixel, as the models of OpenAI, Anthropic and Qwen count it. */
export const tokensPerPicture = 1000

/** Estimated number of tokens of a text with this many bytes. */
export function typicalTokens(bytes: number): number {
  return Math.ceil(bytes / 4)
}

/** What a model reads besides its template. */
export interface PromptTexts {
  /** The prompt and the text around its gap, or the messages with their calls. */
  readonly texts: readonly string[]
  /** The tools in JSON; empty without any. */
  readonly tools: string
  readonly pictures: number
}

/** The texts and pictures of a prompt, for estimates of its length. */
export function promptTexts(input: TextRequest['input']): PromptTexts {
  if (input.type === 'prompt') return { texts: [input.prompt, ...gapTexts(input.gap)], tools: '', pictures: 0 }
  const { messages, tools } = input
  return {
    texts: messages.map((message) => (message.content ?? '') + ('toolCalls' in message ? JSON.stringify(message.toolCalls) : '')),
    tools: tools.length === 0 ? '' : JSON.stringify(tools),
    pictures: messages.flatMap((message) => ('parts' in message ? (message.parts ?? []) : [])).filter(({ type }) => type === 'picture')
      .length,
  }
}

function gapTexts(gap: TextGap | undefined): readonly string[] {
  return gap === undefined ? [] : [gap.suffix, ...gap.files.flatMap(({ name, text }) => [name, text])]
}
