import { readFileSync } from 'node:fs'
import { type GgufEntry, ggufValue, readGgufHeader, readNumbers, readTexts } from './gguf-file.ts'

/** GGUF's numbers of token types. */
const [control, userDefined] = [3, 4]

export interface WrittenCall {
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** A model family: its chat template, how its models write calls, and the tokens it adds to a tokenizer. */
export interface ToolFamily {
  readonly name: string
  /** A file in test/fixtures/chat-templates; null = the built-in model's own, which knows no tools. */
  readonly template: string | null
  /** Control tokens that take the place of the built-in model's three. */
  readonly text: { readonly unknown: string; readonly begin: string; readonly end: string }
  readonly addsBegin: boolean
  readonly control: readonly string[]
  readonly userDefined: readonly string[]
  /** Whether a token of its own begins the calls. */
  readonly marked: boolean
  /** Whether its template opens the thoughts of every answer, as for models that always think. */
  readonly opensThoughts?: boolean
  /** Whether its template can show an answer with several calls. */
  readonly parallel: boolean
  /** The start of an answer's text, and the separator before a call; empty if left out. */
  readonly talk?: { readonly begin: string; readonly end: string }
  /** An answer that makes these calls, as the template shows earlier ones. */
  write(calls: readonly WrittenCall[]): string
}

/** A model without a notation of its own, which uses that of Hermes. */
export const taught: ToolFamily = {
  name: 'hermes-as-taught',
  template: null,
  text: { unknown: '<|endoftext|>', begin: '<|im_start|>', end: '<|im_end|>' },
  addsBegin: false,
  control: [],
  userDefined: [],
  marked: true,
  parallel: true,
  write: (calls) => calls.map((call) => `<tool_call>\n{"name": "${call.name}", "arguments": ${call.arguments}}\n</tool_call>`).join('\n'),
}

export const qwen25: ToolFamily = {
  ...taught,
  name: 'qwen-2.5',
  template: 'qwen-2.5.jinja',
  userDefined: ['<tool_call>', '</tool_call>'],
}

export const qwen3: ToolFamily = {
  ...qwen25,
  name: 'qwen-3',
  template: 'qwen-3.jinja',
  userDefined: ['<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>', '<think>', '</think>'],
}

/** Writes an element for each argument; what is no JSON object stands in the call as it is. */
export const qwenCoder: ToolFamily = {
  ...qwen25,
  name: 'qwen-3-coder',
  template: 'qwen-3-coder-format.jinja',
  write: (calls) =>
    calls
      .map(
        (call) =>
          `<tool_call>\n<function=${call.name}>\n${writeParameters(call.arguments, ['<parameter=', '>\n', '\n</parameter>\n'])}</function>\n</tool_call>`,
      )
      .join('\n'),
}

/** Writes elements for the name and for the value of each argument. */
export const glm: ToolFamily = {
  ...taught,
  name: 'glm',
  template: 'glm-format.jinja',
  text: { unknown: '<|endoftext|>', begin: '[gMASK]', end: '<|user|>' },
  control: ['<sop>', '<|system|>', '<|assistant|>', '<|observation|>'],
  userDefined: [
    '<tool_call>',
    '</tool_call>',
    '<arg_key>',
    '</arg_key>',
    '<arg_value>',
    '</arg_value>',
    '<tool_response>',
    '</tool_response>',
  ],
  write: (calls) =>
    calls
      .map(
        (call) =>
          `<tool_call>${call.name}\n${writeParameters(call.arguments, ['<arg_key>', '</arg_key>\n<arg_value>', '</arg_value>\n'])}</tool_call>`,
      )
      .join('\n'),
}

/** DeepSeek V3.1, whose template mentions no tools. */
export const deepSeek: ToolFamily = {
  ...taught,
  name: 'deepseek-v3.1',
  template: 'deepseek-format.jinja',
  text: { unknown: '<unk>', begin: '<｜begin▁of▁sentence｜>', end: '<｜end▁of▁sentence｜>' },
  addsBegin: true,
  control: ['<｜User｜>', '<｜Assistant｜>'],
  userDefined: [
    ...['</think>', '<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>', '<｜tool▁sep｜>'],
    ...['<｜tool▁output▁begin｜>', '<｜tool▁output▁end｜>'],
  ],
  write: (calls) => {
    const written = calls.map((call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${call.arguments}<｜tool▁call▁end｜>`)
    return `<｜tool▁calls▁begin｜>${written.join('')}<｜tool▁calls▁end｜>`
  },
}

/** A model that always thinks, without a setting to stop it. */
export const alwaysThinking: ToolFamily = { ...qwen3, name: 'always-thinking', opensThoughts: true }

export const mistralNemo: ToolFamily = {
  name: 'mistral-nemo',
  template: 'mistral-nemo.jinja',
  text: { unknown: '<unk>', begin: '<s>', end: '</s>' },
  addsBegin: true,
  control: ['[INST]', '[/INST]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_RESULTS]', '[/TOOL_RESULTS]', '[TOOL_CALLS]'],
  userDefined: [],
  marked: true,
  parallel: true,
  write: (calls) => `[TOOL_CALLS][${calls.map((call) => `{"name": "${call.name}", "arguments": ${call.arguments}}`).join(', ')}]`,
}

export const llama31: ToolFamily = {
  name: 'llama-3.1',
  template: 'llama-3-format.jinja',
  text: { unknown: '<|end_of_text|>', begin: '<|begin_of_text|>', end: '<|eot_id|>' },
  addsBegin: true,
  control: ['<|start_header_id|>', '<|end_header_id|>', '<|eom_id|>', '<|python_tag|>'],
  userDefined: [],
  marked: false,
  parallel: false,
  write: (calls) => calls.map((call) => `{"name": "${call.name}", "parameters": ${call.arguments}}`).join('; '),
}

/** gpt-oss; llama.cpp makes user-defined tokens of the marks, and lets `<|end|>` end a message only. */
export const harmony: ToolFamily = {
  name: 'harmony',
  template: 'harmony-format.jinja',
  text: { unknown: '<|endoftext|>', begin: '<|startoftext|>', end: '<|return|>' },
  addsBegin: false,
  control: ['<|start|>', '<|channel|>', '<|message|>', '<|constrain|>', '<|end|>', '<|call|>'],
  userDefined: [],
  marked: true,
  parallel: false,
  talk: { begin: '<|channel|>commentary<|message|>', end: '<|end|><|start|>assistant' },
  write: (calls) =>
    calls.map((call) => `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${call.arguments}<|call|>`).join(''),
}

/** Solar Open, which puts its answers in marks too; llama.cpp lets `<|end|>` end a message only. It knows tools, but not in a notation of ours. */
export const solar: ToolFamily = {
  ...harmony,
  name: 'solar',
  template: 'solar-format.jinja',
  text: { unknown: '<unk>', begin: '<s>', end: '<|flush|>' },
  control: ['<|begin|>', '<|think|>', '<|content|>', '<|end|>', '<|calls|>'],
  parallel: true,
  write: taught.write,
}

/** Also thinks, in marks of its own, and writes calls as all of Mistral's models since Small 3.2. */
export const ministral: ToolFamily = {
  ...mistralNemo,
  name: 'ministral',
  template: 'ministral-format.jinja',
  control: [
    ...['[INST]', '[/INST]', '[SYSTEM_PROMPT]', '[/SYSTEM_PROMPT]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_RESULTS]'],
    ...['[/TOOL_RESULTS]', '[TOOL_CALLS]', '[ARGS]', '[CALL_ID]', '[THINK]', '[/THINK]'],
  ],
  write: (calls) => calls.map((call) => `[TOOL_CALLS]${call.name}[ARGS]${call.arguments}`).join(''),
}

function writeParameters(json: string, [open, between, close]: readonly [open: string, between: string, close: string]): string {
  try {
    const bare = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
    return Object.entries(JSON.parse(json))
      .map(([name, value]) => open + name + between + bare(value) + close)
      .join('')
  } catch {
    return json
  }
}

/** The token metadata of a GGUF file. */
export interface TokenizerDescription {
  readonly entries: readonly GgufEntry[]
  /** Tokens. */
  readonly size: number
  /** The token that ends an answer. */
  readonly end: number
}

let builtIn: ReadonlyMap<string, Buffer> | null = null

/** The built-in model's tokenizer with a family's control tokens and template. */
export function describeTokenizer({ text, addsBegin, template, ...family }: ToolFamily): TokenizerDescription {
  builtIn ??= new Map(readGgufHeader(readFileSync(new URL('../../../models/sepia-mini-chat/model.gguf', import.meta.url))))
  const known = builtIn
  const value = (key: string): Buffer => known.get(key) ?? Buffer.alloc(0)
  const ordinary = readTexts(value('tokenizer.ggml.tokens')).slice(3)
  const tokens = [text.unknown, text.begin, text.end, ...ordinary, ...family.control, ...family.userDefined]
  const types = [
    ...readNumbers(value('tokenizer.ggml.token_type')),
    ...family.control.map(() => control),
    ...family.userDefined.map(() => userDefined),
  ]
  const end = tokens.indexOf(text.end)
  const entries: readonly GgufEntry[] = [
    ...['tokenizer.ggml.model', 'tokenizer.ggml.pre', 'tokenizer.ggml.merges'].map((key): GgufEntry => [key, value(key)]),
    ['tokenizer.ggml.tokens', ggufValue(tokens)],
    ['tokenizer.ggml.token_type', ggufValue(types)],
    ['tokenizer.ggml.bos_token_id', ggufValue(tokens.indexOf(text.begin))],
    ['tokenizer.ggml.eos_token_id', ggufValue(end)],
    ['tokenizer.ggml.add_bos_token', ggufValue(addsBegin)],
    [
      'tokenizer.chat_template',
      template === null ? value('tokenizer.chat_template') : ggufValue(readTemplate(template, family.opensThoughts ?? false)),
    ],
  ]
  return { entries, size: tokens.length, end }
}

function readTemplate(name: string, opensThoughts: boolean): string {
  const template = readFileSync(new URL(`../../fixtures/chat-templates/${name}`, import.meta.url), 'utf8')
  if (!opensThoughts) return template
  const end = template.lastIndexOf('{%- if enable_thinking')
  return `${template.slice(0, end)}{{- '<think>\\n' }}{#- <think> and </think> #}{%- endif %}`
}
