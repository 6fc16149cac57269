import type { ToolDefinition } from '../../../core/text-generation.ts'

/**
 * A model family's notation of arguments that are not JSON: `open`, name, `between`, value and `close` for each. Line breaks around a value
 * do not belong to it.
 */
export interface ParameterNotation {
  readonly open: string
  readonly between: string
  readonly close: string
}

/**
 * A model family's format of tool calls: `mark` and `before`, then name, `between`, arguments and `after` for each, with `next` between
 * two.
 */
export interface ToolFormat {
  /** Text that begins the calls; it is not part of the answer. Empty = the answer begins with the call itself. */
  readonly mark: string
  /** Text between the mark and the name. */
  readonly before: string
  readonly between: string
  /** Closes one call. */
  readonly after: string
  /** Text from a closed call to the name of the next; null = the template supports one call at a time. */
  readonly next: string | null
  /** Closes the last call, after `after`. */
  readonly end: string
  /** Notation of each argument, after `between`; absent = all together, as JSON. */
  readonly parameters?: ParameterNotation
  /** Matches the text before a call's name in every spelling. */
  readonly lead: RegExp
  /** Match the text before a call's arguments in every accepted spelling; the first group is the name. */
  readonly heads: readonly RegExp[]
  /** Whether the model's own template shows calls in this format; else we teach it, and rewrite earlier calls as text. */
  readonly native: boolean
  /** Describes the available tools if the template shows calls but no tools; absent = the template does. */
  readonly offer?: (tools: readonly ToolDefinition[]) => string
  /** Whether the template takes the arguments of earlier calls as JSON text; absent = as values. */
  readonly textArguments?: boolean
  /** Whether the template refuses call ids that are not nine letters and digits. */
  readonly shortIds: boolean
  /** The format in which calls reach their reader, where the answer is translated before; absent = this one. */
  readonly readAs?: ToolFormat
  /** Available tools. In formats with nothing between mark and name, only the name of one of them makes a call. */
  readonly tools: readonly ToolDefinition[]
}

const jsonLead = /^.*?"name"\s*:\s*"/s
const jsonHead = /"name"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"(?:arguments|parameters)"\s*:\s*/

/** A name between marks; Mistral Small 3.2 adds an id after it. */
const namedHead = /\[TOOL_CALLS\]\s*([^[\]{}\s]+)\s*(?:\[CALL_ID\][^[]*)?\[ARGS\]\s*/

/** What most formats have in common. */
const usual = { end: '', lead: jsonLead, heads: [jsonHead], native: true, shortIds: false, tools: [] } as const

/** `<tool_call>` blocks, as Hermes, Qwen 2.5 and Qwen 3 write them; also what we teach models that know no format. */
export const hermes: ToolFormat = {
  ...usual,
  mark: '<tool_call>',
  before: '\n{"name": "',
  between: '", "arguments": ',
  after: '}\n</tool_call>',
  next: '\n<tool_call>\n{"name": "',
}

const mistral: ToolFormat = {
  ...usual,
  mark: '[TOOL_CALLS]',
  before: '[{"name": "',
  between: '", "arguments": ',
  after: '}',
  next: ', {"name": "',
  end: ']',
  heads: [namedHead, jsonHead],
  shortIds: true,
}

/** Since Small 3.2, Magistral of 2507 and Devstral: a name and its arguments, each behind a mark. */
const mistralNamed: ToolFormat = { ...mistral, before: '', between: '[ARGS]', after: '', next: '[TOOL_CALLS]', end: '' }

/** Bare JSON instead of an answer, one call at a time. */
const llama3: ToolFormat = {
  ...usual,
  mark: '',
  before: '{"name": "',
  between: '", "parameters": ',
  after: '}',
  next: null,
}

/** One message to a function, in a channel of its own; its end is the answer's. */
export const harmonyFormat: ToolFormat = {
  ...usual,
  mark: '<|channel|>commentary to=functions.',
  before: '',
  between: ' <|constrain|>json<|message|>',
  after: '',
  next: null,
  readAs: hermes,
}

/** Qwen 3 Coder, Qwen 3.5, Nemotron 3 and Step 3.5: an element for each argument. */
const qwenCoder: ToolFormat = {
  ...usual,
  mark: '<tool_call>',
  before: '\n<function=',
  between: '>\n',
  after: '</function>\n</tool_call>',
  next: '\n<tool_call>\n<function=',
  parameters: { open: '<parameter=', between: '>\n', close: '\n</parameter>\n' },
  lead: /^.*?<function=\s*/s,
  heads: [/<function=\s*([^\s<>]+)\s*>/],
}

/** GLM since 4.5, Ling 3, Laguna and Spark 2.5: an element for the name of each argument and one for its value, each on a line of its own or not. */
const glm: ToolFormat = {
  ...usual,
  mark: '<tool_call>',
  before: '',
  between: '',
  after: '</tool_call>',
  next: '\n<tool_call>',
  parameters: { open: '<arg_key>', between: '</arg_key>\n<arg_value>', close: '</arg_value>\n' },
  lead: /^<tool_call>\s*/,
  heads: [/<tool_call>\s*([^\s<>]+)(?=[\s<])/],
}

/** DeepSeek since V3.1; until then its models fenced the arguments. */
const deepSeek: ToolFormat = {
  ...usual,
  mark: '<｜tool▁calls▁begin｜>',
  before: '<｜tool▁call▁begin｜>',
  between: '<｜tool▁sep｜>',
  after: '<｜tool▁call▁end｜>',
  next: '<｜tool▁call▁begin｜>',
  end: '<｜tool▁calls▁end｜>',
  lead: /^.*?<｜tool▁call▁begin｜>\s*/s,
  heads: [/<｜tool▁call▁begin｜>\s*([^\s<>]+)\s*<｜tool▁sep｜>\s*/],
}

/** A call's text in a format after the mark and `before`, up to the arguments. */
export function callHead({ between }: ToolFormat, name: string): string {
  return JSON.stringify(name).slice(1, -1) + between
}

/** The first call of an answer, from its mark up to the arguments. */
export function openCall(format: ToolFormat, name: string): string {
  return format.mark + format.before + callHead(format, name)
}

/** Marks of calls; where they are control tokens, the answer shows them all the same. */
export const toolMarks: readonly string[] = [
  ...[hermes.mark, mistral.mark, mistralNamed.between, '[CALL_ID]'],
  ...['<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>', '</tool_call>'],
  ...[deepSeek.mark, deepSeek.before, deepSeek.between, deepSeek.after, deepSeek.end],
]

/** Accepted line breaks in a notation: none, LF or CRLF. */
export const lineBreaks: readonly string[] = ['', '\n', '\r\n']

/** All ends of a value: its closing mark together with the text that may follow. The mark alone is part of the value. */
export function valueEnds({ after }: ToolFormat, { open, close }: ParameterNotation): readonly string[] {
  const follows = [open, after.split('\n', 1).join()]
  return lineBreaks.flatMap((lineBreak) => follows.map((follow) => close.trim() + lineBreak + follow))
}

/** Markers of templates with another content in such blocks (Qwen 3 Coder, GLM, MiniMax M3), or with similarly named blocks (Apriel). */
const otherBlocks = ['<function=', '<arg_key>', '<invoke ', '<tool_calls>']

/** Recognises a template's format by the marks it writes itself. */
export function detectToolFormat(template: string): ToolFormat {
  const acceptsTools = /\btools\b/.test(template)
  const marks = (text: string): boolean => acceptsTools && template.includes(text)
  const writes = ({ mark, before }: ToolFormat): boolean => marks(JSON.stringify(mark + before).slice(1, -1))
  if (marks(hermes.mark) && !otherBlocks.some(marks)) return hermes
  if (writes(qwenCoder) && marks('<parameter=')) return qwenCoder
  if (marks(glm.mark) && marks('<arg_key>') && marks('</arg_value>')) return glm
  if (marks(mistral.mark)) return marks(mistralNamed.between) ? mistralNamed : mistral
  if (marks('<|channel|>commentary')) return harmonyFormat
  if (template.includes(deepSeek.mark) && template.includes(deepSeek.between) && !template.includes('```')) {
    const textArguments = !/\barguments\b['"\]]*\s*\|\s*tojson/.test(template)
    return { ...deepSeek, textArguments, ...(!acceptsTools && { offer: offerDeepSeekTools }) }
  }
  if (marks('"parameters": ') && marks('ipython')) return llama3
  return { ...hermes, native: false }
}

const instructions = `IMPORTANT: ALWAYS adhere to this exact format for tool use:
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{{additional_tool_calls}}<｜tool▁calls▁end｜>

Where:
- \`tool_call_name\` must be an exact match to one of the available tools
- \`tool_call_arguments\` must be valid JSON that strictly follows the tool's Parameters Schema
- For multiple tool calls, chain them directly without separators or spaces`

/**
 * Describes tools in the words that DeepSeek V3.1 was trained with, which its template leaves to the system message.
 *
 * @see https://huggingface.co/deepseek-ai/DeepSeek-V3.1#toolcall
 */
function offerDeepSeekTools(tools: readonly ToolDefinition[]): string {
  const described = tools.map(
    ({ name, description, parameters }) => `### ${name}\nDescription: ${description ?? ''}\n\nParameters: ${JSON.stringify(parameters)}`,
  )
  return `## Tools\nYou have access to the following tools:\n\n${described.join('\n\n')}\n\n${instructions}`
}
