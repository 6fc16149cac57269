import { setImmediate } from 'node:timers/promises'
import { defined } from '../../../core/defined.ts'
import { ServiceError } from '../../../core/error.ts'
import type { ChatInput, ChatMessage, PromptField, TextGap, TextRequest, ToolDefinition } from '../../../core/text-generation.ts'
import { joinTokens } from '../binding/cut-at-marks.ts'
import type { GapTokens, Vocabulary } from '../binding/vocabulary.ts'
import type { NumberedBlock, PictureMemory } from '../pictures/picture-memory.ts'
import { type ChatTemplate, type RenderOptions, toTemplateMessage } from './chat-template.ts'
import { guardControlTexts } from './control-guard.ts'
import { mapMembers } from './map-texts.ts'
import { markPictures, type PromptPart } from './picture-marks.ts'
import { renderPrompt } from './render-prompt.ts'
import type { StretchMemory } from './stretch-memory.ts'
import type { Begun, ThoughtFormat } from './thought-format.ts'
import type { ToolFormat } from './tool-format.ts'
import { fitToolHistory } from './tool-history.ts'
import { addRules, writeToolsAsText } from './tool-prompt.ts'

interface PromptTools {
  readonly vocabulary: Vocabulary
  readonly template: ChatTemplate
  readonly toolFormat: ToolFormat
  readonly stretches: StretchMemory
  /** null = the model does not see. */
  readonly pictures: PictureMemory | null
}

/** For whom a prompt is read, and until when. */
export interface ReadOptions {
  readonly account: string
  readonly signal: AbortSignal
  /** Collects the blocks of pictures; absent = not needed. */
  readonly shown?: Map<number, NumberedBlock>
}

/** Characters after which other streams of this engine get a turn, and what a stretch with known tokens counts. */
const [charactersPerTurn, knownStretch] = [16_384, 64]

/**
 * The tokens a request starts from.
 *
 * @throws {ServiceError} `invalid_request_error` when the template refuses the messages.
 */
export async function tokenizeRequest(
  tools: PromptTools,
  { input }: Pick<TextRequest, 'input'>,
  options: ReadOptions,
): Promise<Uint32Array> {
  const { vocabulary } = tools
  if (input.type === 'chat') return withBegin(vocabulary, await tokenizeParts(tools, writePrompt(tools, input), options))
  if (input.tokens !== undefined) return Uint32Array.from(input.tokens)
  const parts =
    input.gap === undefined
      ? [{ text: input.prompt, special: input.special ?? false }]
      : layOutGap(vocabulary.gap, input.prompt, input.gap).map((part) => (typeof part === 'number' ? part : { text: part, special: false }))
  return withBegin(vocabulary, await tokenizeParts(tools, parts, options))
}

/**
 * The prompt that a conversation becomes, in stretches that may hold control tokens and stretches that must not.
 *
 * @throws {ServiceError} `invalid_request_error` when the template refuses the messages.
 */
export function writePrompt(
  tools: Pick<PromptTools, 'template' | 'toolFormat'> & { readonly vocabulary: Pick<Vocabulary, 'controlTexts'> },
  input: ChatInput,
): readonly PromptPart[] {
  const { vocabulary, template, toolFormat } = tools
  const offered = input.toolChoice === 'none' ? [] : input.tools
  const marked = markPictures(input.messages, offered)
  const messages = toolFormat.native ? showTools(toolFormat, marked.messages, offered) : writeToolsAsText(marked.messages, offered)
  const shape = (protect: (text: string) => string) => ({
    seen: messages.map((message) => toTemplateMessage(message, protect, toolFormat.textArguments)),
    tools: toolFormat.native ? offered.map((tool) => protectTool(tool, protect)) : [],
  })
  const guard = guardControlTexts(vocabulary.controlTexts, collectTexts(shape), template.thoughts?.stubborn)
  const { seen, tools: shown } = shape(guard.protect)
  const last = seen.at(-1)
  const thinking = readThinking(template, input)
  const continued = input.opening === 'last-message' && last?.role === 'assistant' ? last : null
  const rendered =
    continued === null
      ? renderPrompt(template, seen, shown, { ...thinking, opensTurn: input.opening !== 'bare' })
      : closeThoughts(template.thoughts, renderPrompt(template, seen.slice(0, -1), shown, thinking)) + continued.content
  return marked.unmark(guard.split(rendered))
}

/** Messages in the form that a native template takes, and the parts of tools that it omits. */
function showTools(format: ToolFormat, messages: readonly ChatMessage[], offered: readonly ToolDefinition[]): readonly ChatMessage[] {
  const fitting = fitToolHistory(format, messages)
  return format.offer === undefined || offered.length === 0 ? fitting : addRules(fitting, format.offer(offered))
}

/** The tokens of texts, with those between them that are settled and the numbers of pictures' rows; other streams of this engine get turns meanwhile. */
export async function tokenizeParts(
  { vocabulary, stretches, pictures }: Pick<PromptTools, 'vocabulary' | 'stretches' | 'pictures'>,
  parts: readonly (number | PromptPart)[],
  { account, signal, shown }: ReadOptions,
): Promise<readonly Uint32Array[]> {
  let read = 0
  const tokens: Uint32Array[] = []
  for (const part of parts) {
    if (typeof part === 'number') {
      tokens.push(Uint32Array.of(part))
      continue
    }
    if ('picture' in part) {
      for (const shownPart of (await pictures?.show(part.picture, { account, signal })) ?? refusePicture()) {
        if (typeof shownPart === 'string') tokens.push(vocabulary.tokenize(shownPart, { special: true }))
        else {
          shown?.set(shownPart.firstNumber, shownPart)
          tokens.push(Uint32Array.from({ length: shownPart.rows }, (_, row) => shownPart.firstNumber + row))
        }
      }
      continue
    }
    const { text, special } = part
    for (const stretch of vocabulary.cut(text, { special })) {
      read += knownStretch
      const tokenize = (): Uint32Array => {
        read += stretch.length
        return vocabulary.tokenize(stretch, { special })
      }
      tokens.push(stretches.tokens({ account, stretch, special }, tokenize))
      if (read < charactersPerTurn) continue
      await setImmediate()
      signal.throwIfAborted()
      read = 0
    }
  }
  return tokens
}

function refusePicture(): never {
  throw new ServiceError('unsupported_parameter', 'This model cannot read images; send only text.', { param: 'messages' })
}

/** Template variables for reasoning; a budget of zero turns it off. */
function readThinking({ acceptsEffort }: ChatTemplate, input: ChatInput): Pick<RenderOptions, 'effort' | 'thinks' | 'thoughtTokens'> {
  const { effort, effortIsWish = false, thoughtTokens } = input
  const thinks = thoughtTokens === 0 ? false : input.thinks
  const isIgnored = effort === undefined || (effortIsWish && !acceptsEffort)
  return defined(isIgnored ? { thinks, thoughtTokens } : { effort, thoughtTokens })
}

/** The part of an answer that a prompt has opened, by the mark at its end; null = none. */
export function findBegun(format: ThoughtFormat | null, prompt: string): Begun {
  if (format === null) return null
  const end = prompt.trimEnd()
  if (end.endsWith(format.open)) return 'thoughts'
  return format.answer.open !== '' && end.endsWith(format.answer.open) ? 'answer' : null
}

/** Closes reasoning that a template opened before an earlier assistant message. */
function closeThoughts(format: ThoughtFormat | null, prompt: string): string {
  if (format === null) return prompt
  return findBegun(format, prompt) === 'thoughts' ? `${prompt.trimEnd()}\n${format.closing}` : prompt + format.bare
}

function protectTool({ name, description, parameters }: ToolDefinition, protect: (text: string) => string): ToolDefinition {
  return {
    name: protect(name),
    description: description === null ? null : protect(description),
    parameters: mapMembers(parameters, protect),
  }
}

/** Every text that a template will see of what a client wrote: escapes are resolved only there. */
function collectTexts(shape: (protect: (text: string) => string) => unknown): readonly string[] {
  const texts: string[] = []
  shape((text) => {
    texts.push(text)
    return text
  })
  return texts
}

function withBegin({ begin }: Vocabulary, parts: readonly Uint32Array[]): Uint32Array {
  const first = parts.find((part) => part.length > 0)?.[0]
  return joinTokens(begin !== null && first !== begin ? [Uint32Array.of(begin), ...parts] : parts)
}

/** @throws {ServiceError} `context_length_exceeded` unless the prompt leaves room for one token. */
export function checkPromptFits(promptTokens: number, contextLength: number, param: PromptField): void {
  if (promptTokens >= contextLength) throw tooLong(promptTokens, contextLength, param)
}

/** The error for a prompt that is too long, with its length. */
export function tooLong(promptTokens: number | string, contextLength: number, param: PromptField): ServiceError {
  const message = `The prompt has ${promptTokens} tokens and the model's context holds ${contextLength}, including the answer; shorten the prompt, or leave out earlier messages.`
  return new ServiceError('context_length_exceeded', message, { param })
}

/**
 * The tokens and texts of a fill-in-the-middle prompt, in the order of llama.cpp's server: other files, the text before the gap, the text
 * after it, and the token after which the model fills it.
 *
 * @throws {ServiceError} `unsupported_parameter` when the model was not made for it.
 */
export function layOutGap(gap: GapTokens | null, before: string, { suffix, files }: TextGap): readonly (number | string)[] {
  const without = 'This model has no fill-in-the-middle tokens; use one that has, such as a code model.'
  if (gap === null) throw new ServiceError('unsupported_parameter', without, { param: 'model' })
  const known = files.flatMap(({ name, text }) => [...mark(gap.file), gap.file === null ? `\n\n--- ${name} ---\n\n` : `${name}\n`, text])
  return [
    ...(gap.repository === null ? [] : [...mark(gap.repository), 'repository\n']),
    ...known,
    ...(gap.file === null ? [] : [...mark(gap.file), 'filename\n']),
    ...mark(gap.prefix),
    before,
    ...mark(gap.suffix),
    suffix,
    ...mark(gap.middle),
  ]
}

function mark(token: number | null): readonly number[] {
  return token === null ? [] : [token]
}
