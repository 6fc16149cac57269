import { Template } from '@huggingface/jinja'
import { defined } from '../../../core/defined.ts'
import { ServiceError } from '../../../core/error.ts'
import type { JsonValue } from '../../../core/json-value.ts'
import type { ChatMessage, ReasoningEffort, ToolDefinition } from '../../../core/text-generation.ts'
import { gatherRules, hidesLoneRules, losesRules } from './gather-rules.ts'
import { mapTexts } from './map-texts.ts'
import { RenderTimeout, renderWithin, todayVariables } from './render-within.ts'
import { detectThoughtFormat, type ThoughtFormat } from './thought-format.ts'

const maxTemplateLength = 256 * 1024
const maxRenderMs = 1000

/** A message as seen by templates. */
export interface TemplateMessage {
  readonly role: string
  readonly content: string
  /** Reasoning before the message; templates omit that of earlier turns themselves. */
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly type: 'function'
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: JsonValue }
  }[]
  readonly tool_call_id?: string
  readonly name?: string
}

export interface RenderOptions {
  /** Whether a turn of the assistant is opened at the end; true when absent. */
  readonly opensTurn?: boolean
  /** Reasoning effort; absent = the template's default. */
  readonly effort?: ReasoningEffort
  /** Whether to reason, if there is no effort; absent = the template's default. */
  readonly thinks?: boolean
  /** Maximum reasoning tokens, for templates that support it (Seed-OSS); absent = unlimited. */
  readonly thoughtTokens?: number
}

export interface ChatTemplate {
  readonly source: string
  /** Format of the model's reasoning; null = none. */
  readonly thoughts: ThoughtFormat | null
  /** Whether the template accepts an effort, or at least an on/off switch for thinking. */
  readonly acceptsEffort: boolean
  /** Whether it accepts degrees of effort. */
  readonly acceptsDegree: boolean
  /** Whether the template leaves out a system message that is all there is. */
  readonly hidesLoneRules: boolean
  /**
   * @throws {ServiceError} `invalid_request_error` when the template refuses the messages or writes far more than it was
   *   given, `inference_failed` when it runs longer than a second.
   */
  render(messages: readonly TemplateMessage[], tools: readonly ToolDefinition[], options?: RenderOptions): string
}

/** Template variables for reasoning effort, or for switching it on and off. */
const effortVariables = /\b(?:reasoning_effort|enable_thinking|thinking|thinking_budget)\b/

/** ChatML, for files that bring no template. */
const fallback = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`

/**
 * Compiles a model's own Jinja template.
 *
 * @param source The `tokenizer.chat_template` of a GGUF file, or null when it has none.
 * @throws {Error} when it is too large or not Jinja.
 */
export function compileChatTemplate(source: string | null, texts: { readonly begin: string; readonly end: string }): ChatTemplate {
  const text = source ?? fallback
  if (text.length > maxTemplateLength)
    throw new Error(`The chat template has ${text.length} characters; at most ${maxTemplateLength} are allowed.`)
  const template = new Template(text)
  const variables = { add_generation_prompt: true, bos_token: texts.begin, eos_token: texts.end }
  const acceptsEffort = effortVariables.test(text)
  const requestsToday = /\b(?:date_string|datetime)\b/.test(text)
  const thoughts = detectThoughtFormat(text)
  const parted = needsContentParts(template, variables) ? withContentParts : (message: TemplateMessage) => message
  const shape = (message: TemplateMessage): object => parted(thoughts?.channels ? withThinking(message) : message)
  const tryOut = (messages: readonly TemplateMessage[]): string =>
    renderWithin(maxRenderMs, template, { ...variables, messages: messages.map(shape), tools: null })
  const gathers = losesRules(tryOut)
  return {
    source: text,
    thoughts,
    acceptsEffort,
    acceptsDegree: /\breasoning_effort\b/.test(text),
    hidesLoneRules: hidesLoneRules(tryOut),
    render: (messages, tools, { opensTurn = true, effort, thinks: requested, thoughtTokens } = {}) => {
      if (effort !== undefined && effort !== 'none' && !acceptsEffort && thoughts === null) throw refuseEffort()
      const isThinking = effort === undefined ? requested : effort !== 'none'
      const budget = isThinking === false ? 0 : thoughtTokens
      const given = effort ?? (isThinking === false && thoughts?.efforts.none !== undefined ? 'none' : undefined)
      const thinking = defined({
        reasoning_effort: given && (thoughts?.efforts[given] ?? given),
        enable_thinking: isThinking,
        thinking: isThinking,
        thinking_budget: budget,
      })
      const seen = gathers ? gatherRules(messages) : messages
      const input = { messages: seen.map(shape), tools: tools.length > 0 ? tools.map(describeTool) : null }
      const longest = 4 * JSON.stringify(input).length + maxTemplateLength
      const rendered = renderChecked(template, {
        ...variables,
        ...(requestsToday && todayVariables()),
        ...input,
        ...thinking,
        add_generation_prompt: opensTurn,
      })
      if (rendered.length > longest) throw refuse(`wrote ${rendered.length} characters`)
      return rendered
    },
  }
}

/** gpt-oss's template calls thoughts so, and refuses them beside text. */
function withThinking(message: TemplateMessage): TemplateMessage {
  const { reasoning_content: thinking = '', content } = message
  return thinking === '' || content !== '' ? message : Object.assign({ thinking }, message)
}

function renderChecked(template: Template, items: Record<string, unknown>): string {
  try {
    return renderWithin(maxRenderMs, template, items)
  } catch (error) {
    const late = "The model's chat template takes too long for these messages; shorten them."
    if (error instanceof RenderTimeout) throw new ServiceError('inference_failed', late, { cause: error })
    throw refuse(error instanceof Error ? error.message : 'it failed', error)
  }
}

function refuseEffort(): ServiceError {
  const message = 'This model has no setting for how long it reasons; leave `reasoning_effort` out.'
  return new ServiceError('unsupported_parameter', message, { param: 'reasoning_effort' })
}

function refuse(reason: string, cause?: unknown): ServiceError {
  const message = `The model's chat template does not accept these messages (${reason}); change their roles or order.`
  return new ServiceError('invalid_request_error', message, { param: 'messages', cause })
}

/** A tool as templates expect it. */
export function describeTool({ name, description, parameters }: ToolDefinition): object {
  return { type: 'function', function: { name, description: description ?? '', parameters } }
}

/**
 * Converts a message for templates; tool arguments are parsed, since most templates write them with `tojson`.
 *
 * @param protect Applied to all client text.
 * @param textArguments Whether arguments stay text.
 */
export function toTemplateMessage(message: ChatMessage, protect: (text: string) => string, textArguments = false): TemplateMessage {
  const named = message.name === undefined ? {} : { name: protect(message.name) }
  if (message.role === 'tool')
    return { role: 'tool', content: protect(message.content), tool_call_id: protect(message.toolCallId), ...named }
  if (message.role !== 'assistant') return { role: message.role, content: protect(message.content), ...named }
  const content = protect(message.content ?? '')
  const thoughts = message.thoughts === undefined ? {} : { reasoning_content: protect(message.thoughts) }
  const said = { role: 'assistant', content, ...thoughts, ...named }
  if (message.toolCalls === undefined || message.toolCalls.length === 0) return said
  const calls = message.toolCalls.map((call) => ({
    type: 'function' as const,
    id: protect(call.id),
    function: {
      name: protect(call.name),
      arguments: textArguments ? protect(call.arguments || '{}') : mapTexts(readArguments(call.arguments), protect),
    },
  }))
  return { ...said, tool_calls: calls }
}

function readArguments(text: string): JsonValue {
  if (text === '') return {} // of a function that takes none, from many clients
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const needle = 'needle'
const question = { role: 'user', content: needle }
const tryMs = 1000

/** A message whose content is a list of one text part, as the templates of models that also see pictures expect it. */
function withContentParts(message: { readonly content: string }): object {
  return { ...message, content: message.content === '' ? [] : [{ type: 'text', text: message.content }] }
}

/** Whether a template includes user messages only if they are lists of parts. */
function needsContentParts(template: Template, variables: Record<string, unknown>): boolean {
  const shows = (message: object): boolean => {
    try {
      return renderWithin(tryMs, template, { ...variables, messages: [message], tools: null }).includes(needle)
    } catch {
      return false // An error here will occur again when the model is asked for an answer.
    }
  }
  return !shows(question) && shows(withContentParts(question))
}
