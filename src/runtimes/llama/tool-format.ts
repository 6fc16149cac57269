/** How a model family writes a tool call. A call is `before` + name + `between` + arguments + `after`. */
export interface ToolFormat {
  /** Text that begins the calls; it is not part of the answer. */
  readonly trigger: string
  /** What follows the trigger, up to the name. */
  readonly before: string
  readonly between: string
  /** Closes one call. */
  readonly after: string
  /** From one closed call to the name of the next. */
  readonly next: string
  /** Closes the last call, after `after`. */
  readonly end: string
  /** Whether the model's own template teaches this format; else we do, and rewrite earlier calls as text. */
  readonly native: boolean
}

/** `<tool_call>` blocks, as Hermes, Qwen 2.5 and Qwen 3 write them; also what we teach models that know no format. */
const hermes: ToolFormat = {
  trigger: '<tool_call>',
  before: '\n{"name": "',
  between: '", "arguments": ',
  after: '}\n</tool_call>',
  next: '\n<tool_call>\n{"name": "',
  end: '',
  native: true,
}

const mistral: ToolFormat = {
  trigger: '[TOOL_CALLS]',
  before: '[{"name": "',
  between: '", "arguments": ',
  after: '}',
  next: ', {"name": "',
  end: ']',
  native: true,
}

/** Bare JSON at the beginning of the answer, one call at a time. */
const llama3: ToolFormat = {
  trigger: '{"name": "',
  before: '',
  between: '", "parameters": ',
  after: '}',
  next: '; {"name": "',
  end: '',
  native: true,
}

/** Recognises a template's format by the marks it writes itself. */
export function detectToolFormat(template: string): ToolFormat {
  const knowsTools = /\btools\b/.test(template)
  const marks = (text: string): boolean => knowsTools && template.includes(text)
  if (marks('<tool_call>') && !marks('<function=') && !marks('<arg_key>')) return hermes
  if (marks('[TOOL_CALLS]') && !marks('[ARGS]')) return mistral
  if (marks('"parameters": ') && marks('ipython')) return llama3
  return { ...hermes, native: false }
}
