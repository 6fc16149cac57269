import type { ReasoningEffort } from '../../../core/text-generation.ts'

/** A model family's format of reasoning. */
export interface ThoughtFormat {
  /** Begins thoughts, at the beginning of an answer or at the end of its prompt. */
  readonly open: string
  /** Ends them. */
  readonly close: string
  /** Text that ends the reasoning and starts the answer. */
  readonly closing: string
  /** Spellings of the tokens that the marks are made of; where they are control tokens, answers show them all the same. */
  readonly tokens: readonly string[]
  /** Whether every message of an answer names its channel in a header (harmony), so that thoughts may come between others, and calls. */
  readonly channels: boolean
  /** Start of an answer without reasoning. */
  readonly bare: string
  /** Marks around the answer itself; empty = there is none. */
  readonly answer: { readonly open: string; readonly close: string }
  /** Spellings of tokens that end an answer, or a message of it. */
  readonly endings: readonly string[]
  /** Spellings that llama.cpp makes tokens of in plain text too, though they end a turn. */
  readonly stubborn: readonly string[]
  /** The template's names of efforts that differ from Sepia's. */
  readonly efforts: Partial<Record<ReasoningEffort, string>>
}

/** The part of an answer that a prompt has opened; null = none. */
export type Begun = 'thoughts' | 'answer' | null

function marked(open: string, close: string): ThoughtFormat {
  const plain = { channels: false, bare: '', answer: { open: '', close: '' }, endings: [], stubborn: [], efforts: {} }
  return { ...plain, open, close, closing: close, tokens: [open, close] }
}

/** Qwen 3, DeepSeek, GLM, SmolLM 3, Nemotron and most others. */
const think: ThoughtFormat = { ...marked('<think>', '</think>'), closing: '\n</think>\n\n' }

const harmonyTokens = ['<|start|>', '<|channel|>', '<|constrain|>', '<|message|>', '<|end|>']

/** By a text that only templates of the family hold. */
const families: readonly (readonly [text: string, format: ThoughtFormat])[] = [
  [
    '<|channel|>analysis<|message|>', // gpt-oss
    {
      ...marked('<|channel|>analysis<|message|>', '<|end|>'),
      closing: '<|end|><|start|>assistant<|channel|>final<|message|>',
      tokens: harmonyTokens,
      endings: ['<|start|>', '<|end|>'],
      stubborn: harmonyTokens,
      channels: true,
      bare: '<|channel|>final<|message|>',
      efforts: { none: 'low', minimal: 'low', xhigh: 'high', max: 'high' },
    },
  ],
  ['<channel|>', { ...marked('<|channel>thought', '<channel|>'), tokens: ['<|channel>', '<channel|>'], closing: '\n<channel|>' }], // Gemma 4
  ['[/THINK]', marked('[THINK]', '[/THINK]')], // Magistral, Ministral
  ['</seed:think>', marked('<seed:think>', '</seed:think>')], // Seed-OSS
  ['</mm:think>', marked('<mm:think>', '</mm:think>')], // MiniMax M3
  ['<|END_THINKING|>', marked('<|START_THINKING|>', '<|END_THINKING|>')], // Command R7B, Command A
  ['<|inner_suffix|>', marked('<|inner_prefix|>', '<|inner_suffix|>')], // Apertus
  [
    '</think{}>', // Hunyuan 3
    {
      ...marked('<think:opensource>', '</think:opensource>'),
      efforts: { none: 'no_think', minimal: 'low', medium: 'high', xhigh: 'high', max: 'high' },
    },
  ],
  [
    '[BEGIN FINAL RESPONSE]',
    {
      ...marked('Here are my reasoning steps:', '[BEGIN FINAL RESPONSE]'),
      closing: '\n[BEGIN FINAL RESPONSE]\n',
      answer: { open: '', close: '[END FINAL RESPONSE]' },
    },
  ], // Apriel
  ['<response></response>', { ...think, answer: { open: '<response>', close: '</response>' } }], // Granite 3.3
  [
    '<|begin|>assistant<|think|>', // Solar Open
    {
      ...marked('<|think|>', '<|end|><|begin|>assistant<|content|>'),
      tokens: ['<|begin|>', '<|think|>', '<|content|>', '<|end|>'],
      bare: '<|content|>',
      answer: { open: '<|content|>', close: '<|end|>' },
      endings: ['<|end|>'],
      stubborn: ['<|end|>'],
      efforts: { none: 'low' },
    },
  ],
  [
    "'<|close|>' + tag + '<|sep|>'", // Kimi K3
    {
      ...marked('<|open|>think<|sep|>', '<|close|>think<|sep|><|open|>response<|sep|>'),
      tokens: ['<|open|>', '<|close|>', '<|sep|>'],
      answer: { open: '<|open|>response<|sep|>', close: '<|close|>response<|sep|>' },
      endings: ['<|close|>'],
    },
  ],
  [think.close, think],
]

/** Recognises a template's format by the marks that it writes itself; null = the model does not think in marks. */
export function detectThoughtFormat(template: string): ThoughtFormat | null {
  return families.find(([text]) => template.includes(text))?.[1] ?? null
}

/** Spellings of reasoning marks to recognize; without a template that defines them, the most common ones. */
export function thoughtTokens(template: string | null): readonly string[] {
  return (detectThoughtFormat(template ?? '') ?? think).tokens
}
