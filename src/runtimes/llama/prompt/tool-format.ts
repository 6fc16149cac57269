/** How a model family writes tool calls: `mark` and `before`, then name, `between`, arguments and `after` of each, `next` between two. */
export interface ToolFormat {
  /** Text that begins the calls; it is not part of the answer. Empty = the answer begins with the call itself. */
  readonly mark: string
  /** What follows the mark, up to the name. */
  readonly before: string
  readonly between: string
  /** Closes one call. */
  readonly after: string
  /** From one closed call to the name of the next; null = the template knows one call at a time. */
  readonly next: string | null
  /** Closes the last call, after `after`. */
  readonly end: string
  /** Whether the model's own template teaches this format; else we do, and rewrite earlier calls as text. */
  readonly native: boolean
  /** Whether the template refuses call ids that are not nine letters and digits. */
  readonly shortIds: boolean
  /** The format in which calls reach whoever reads them, where the answer is translated before; absent = this one. */
  readonly readAs?: ToolFormat
  /** Tools on offer: without a mark, JSON is a call only when it names one of them. */
  readonly names: readonly string[]
}

/** `<tool_call>` blocks, as Hermes, Qwen 2.5 and Qwen 3 write them; also what we teach models that know no format. */
export const hermes: ToolFormat = {
  mark: '<tool_call>',
  before: '\n{"name": "',
  between: '", "arguments": ',
  after: '}\n</tool_call>',
  next: '\n<tool_call>\n{"name": "',
  end: '',
  native: true,
  shortIds: false,
  names: [],
}

const mistral: ToolFormat = {
  mark: '[TOOL_CALLS]',
  before: '[{"name": "',
  between: '", "arguments": ',
  after: '}',
  next: ', {"name": "',
  end: ']',
  native: true,
  shortIds: true,
  names: [],
}

/** Since Small 3.2, Magistral of 2507 and Devstral: a name and its arguments, each behind a mark. */
const mistralNamed: ToolFormat = { ...mistral, before: '', between: '[ARGS]', after: '', next: '[TOOL_CALLS]', end: '' }

/** Bare JSON instead of an answer, one call at a time. */
const llama3: ToolFormat = {
  mark: '',
  before: '{"name": "',
  between: '", "parameters": ',
  after: '}',
  next: null,
  end: '',
  native: true,
  shortIds: false,
  names: [],
}

/** One message to a function, in a channel of its own; its end is the answer's. */
export const harmonyFormat: ToolFormat = {
  mark: '<|channel|>commentary to=functions.',
  before: '',
  between: ' <|constrain|>json<|message|>',
  after: '',
  next: null,
  end: '',
  native: true,
  shortIds: false,
  readAs: hermes,
  names: [],
}

/** A call as a format writes it behind its mark and what follows that, up to the arguments. */
export function callHead({ between }: ToolFormat, name: string): string {
  return JSON.stringify(name).slice(1, -1) + between
}

/** The first call of an answer, from its mark up to the arguments. */
export function openCall(format: ToolFormat, name: string): string {
  return format.mark + format.before + callHead(format, name)
}

/** Marks of calls; where they are control tokens, the answer shows them all the same. */
export const toolMarks: readonly string[] = [hermes.mark, mistral.mark, mistralNamed.between, '[CALL_ID]']

/** What templates hold that write something else into such blocks (Qwen 3 Coder, GLM, MiniMax M3), or into blocks of a similar name (Apriel). */
const otherBlocks = ['<function=', '<arg_key>', '<invoke ', '<tool_calls>']

/** Recognises a template's format by the marks it writes itself. */
export function detectToolFormat(template: string): ToolFormat {
  const knowsTools = /\btools\b/.test(template)
  const marks = (text: string): boolean => knowsTools && template.includes(text)
  if (marks(hermes.mark) && !otherBlocks.some(marks)) return hermes
  if (marks(mistral.mark)) return marks(mistralNamed.between) ? mistralNamed : mistral
  if (marks('<|channel|>commentary')) return harmonyFormat
  if (marks('"parameters": ') && marks('ipython')) return llama3
  return { ...hermes, native: false }
}
