import { asTyped, type Command, type CommandContext, type CommandFlag, type CommandResult } from '../../command.ts'
import { describeFailure, UsageError } from '../../failures.ts'
import { paint, printable } from '../../printed-text.ts'
import { chooseModel, ensureModel } from '../../service/installed-models.ts'
import { openService, serviceFlags, serviceSettings } from '../../service/open-service.ts'
import type { ServiceClient } from '../../service/service-client.ts'
import { endOfInput } from '../../terminal.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A chunk of a streamed answer, reduced to the fields in use. */
interface Chunk {
  readonly error?: { readonly message: string }
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string | null }
    readonly finish_reason?: string | null
  }[]
}

const talkFlags: readonly CommandFlag[] = [
  { name: 'system', form: '<text>', help: 'Instructions for the model before the conversation.' },
  { name: 'max-tokens', form: '<number>', help: 'Maximum number of tokens of one answer.' },
  { name: 'seed', form: '<number>', help: 'The same seed gives the same answer.' },
  { name: 'temperature', form: '<number>', help: 'Randomness, 0 to 2.' },
  ...serviceFlags,
]

export const chat: Command = {
  words: ['chat'],
  summary: 'Chat with a model; without words, hold a conversation until Ctrl-D.',
  argument: { name: '<words>', help: 'One question, with or without quotes; - reads it from standard input.', optional: true, words: true },
  flags: [{ name: 'model', form: '<name>', help: 'A text model of the service. Default: one that is loaded, or the first.' }, ...talkFlags],
  settings: serviceSettings,
  run: async (context) => {
    const { argument, flags, signal } = context
    const numbers = readNumbers(flags)
    const service = await openService(context)
    const model = flags.get('model') ?? (await chooseModel(service, 'chat', { signal }))
    return converse(context, service, { model, question: argument, numbers })
  },
}

export const runModel: Command = {
  words: ['run'],
  summary: 'Chat with a model; pull it first if it is not installed.',
  argument: {
    name: '<model>',
    help: 'The name of a model or a source for sepia model pull, then one question; without a question, hold a conversation.',
    words: true,
  },
  flags: talkFlags,
  settings: [...serviceSettings, 'hub-url', 'hub-token-file', 'pull-hosts'],
  run: async (context) => {
    const [name = '', ...words] = context.argument.split(' ')
    const numbers = readNumbers(context.flags)
    const service = await openService(context)
    const model = await ensureModel(context, service, name)
    return converse(context, service, { model, question: words.join(' '), numbers })
  },
}

interface Talk {
  readonly model: string
  /** "" = interactive, or standard input; `-` = standard input. */
  readonly question: string
  readonly numbers: ReturnType<typeof readNumbers>
}

async function converse(
  context: CommandContext,
  service: ServiceClient,
  { model, question: given, numbers }: Talk,
): Promise<CommandResult> {
  const { flags, terminal, signal, json } = context
  const system = flags.get('system')
  const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }]
  const ask = async (content: string): Promise<string> => {
    messages.push({ role: 'user', content })
    const answer = await stream(context, service, { model, messages, ...numbers })
    messages.push({ role: 'assistant', content: answer })
    return answer
  }
  const question = given === '' || given === '-' ? await terminal.readInput() : given
  if (question !== null) {
    const content = await ask(question)
    return { text: '', json: { model, content } }
  }
  if (json) throw new UsageError([{ where: '--json', message: 'needs a question as an argument or on standard input.' }])
  await talk(context, model, async (line) => {
    const before = messages.length
    await ask(line).catch((error: unknown) => {
      if (signal.aborted) throw error
      messages.length = before
      terminal.err(`${printable(asTyped(describeFailure(error), context))}\n`)
    })
  })
  return { text: '', json: {} }
}

/** Reads and answers questions until the input ends. */
async function talk({ terminal, signal }: CommandContext, model: string, onLine: (line: string) => Promise<void>): Promise<void> {
  terminal.err(paint(terminal, 'dim', `Chatting with ${printable(model)}; press Ctrl-D to end.\n`))
  for (;;) {
    const line = await terminal.ask(paint(terminal, 'bold', '> '), { signal })
    if (line === null || line === endOfInput) return
    if (line.trim() !== '') await onLine(line)
  }
}

/** Streams an answer to standard output, and its reasoning to standard error in a terminal; returns the text. */
async function stream(
  { terminal, signal, json }: CommandContext,
  service: ServiceClient,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  let answer = ''
  let finish: string | null = null
  try {
    for await (const { data } of service.watch('/v1/chat/completions', { body: { ...body, stream: true }, signal })) {
      if (data === '[DONE]') break
      const { error, choices = [] }: Chunk = JSON.parse(data)
      if (error !== undefined) throw new Error(error.message)
      const [choice] = choices
      const { content, reasoning_content: thoughts } = choice?.delta ?? {}
      if (thoughts && terminal.interactive && !json) terminal.err(paint(terminal, 'dim', printable(thoughts)))
      if (content && !json) terminal.out(printable(content))
      answer += content ?? ''
      finish = choice?.finish_reason ?? finish
    }
  } finally {
    // An error, or the shell's prompt after Ctrl-C, begins a line of its own.
    if ((answer !== '' || finish !== null) && !json) terminal.out('\n')
  }
  if (finish === null) throw new Error('The answer broke off; ask again.')
  if (finish === 'length' && terminal.interactive) terminal.err(paint(terminal, 'dim', '(cut off; --max-tokens allows more)\n'))
  return answer
}

function readNumbers(flags: ReadonlyMap<string, string>): Readonly<Record<'max_tokens' | 'temperature' | 'seed', number | undefined>> {
  return {
    max_tokens: readNumber(flags, 'max-tokens'),
    temperature: readNumber(flags, 'temperature'),
    seed: readNumber(flags, 'seed'),
  }
}

function readNumber(flags: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = flags.get(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new UsageError([{ where: `--${name}`, message: `expected a number, got ${JSON.stringify(text)}.` }])
}
