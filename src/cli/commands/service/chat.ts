import type { Command, CommandContext } from '../../command.ts'
import { describeFailure } from '../../describe-failure.ts'
import { paint } from '../../paint.ts'
import { printable } from '../../printable.ts'
import { chooseModel } from '../../service/installed-models.ts'
import { openService } from '../../service/open-service.ts'
import type { ServiceClient } from '../../service/service-client.ts'
import { serviceFlags, serviceSettings } from '../../service/service-flags.ts'
import { endOfInput } from '../../terminal.ts'
import { UsageError } from '../../usage-error.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A chunk of a streamed answer, as far as it is read. */
interface Chunk {
  readonly error?: { readonly message: string }
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string | null }
    readonly finish_reason?: string | null
  }[]
}

export const chat: Command = {
  words: ['chat'],
  summary: 'Talk with a model; without words in turns, until Ctrl-D.',
  argument: { name: '<words>', help: 'One question, with or without quotes; - reads it from standard input.', optional: true, words: true },
  flags: [
    { name: 'model', form: '<name>', help: 'A text model of the service; default one that is in memory, or the first.' },
    { name: 'system', form: '<text>', help: 'What the model is told before the conversation.' },
    { name: 'max-tokens', form: '<number>', help: 'Most tokens of one answer.' },
    { name: 'seed', form: '<number>', help: 'The same seed gives the same answer.' },
    { name: 'temperature', form: '<number>', help: 'Randomness, 0 to 2.' },
    ...serviceFlags,
  ],
  settings: serviceSettings,
  run: async (context) => {
    const { argument, flags, terminal, signal, json } = context
    const numbers = {
      max_tokens: readNumber(flags, 'max-tokens'),
      temperature: readNumber(flags, 'temperature'),
      seed: readNumber(flags, 'seed'),
    }
    const service = await openService(context)
    const model = flags.get('model') ?? (await chooseModel(service, 'chat', { signal }))
    const system = flags.get('system')
    const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }]
    const ask = async (content: string): Promise<string> => {
      messages.push({ role: 'user', content })
      const answer = await stream(context, service, { model, messages, ...numbers })
      messages.push({ role: 'assistant', content: answer })
      return answer
    }
    const question = argument === '' || argument === '-' ? await terminal.readInput() : argument
    if (question !== null) {
      const content = await ask(question)
      return { text: '', json: { model, content } }
    }
    if (json) throw new UsageError([{ where: '--json', message: 'needs the question as an argument or on standard input.' }])
    await talk(context, model, async (line) => {
      const before = messages.length
      await ask(line).catch((error: unknown) => {
        if (signal.aborted) throw error
        messages.length = before
        terminal.err(`${printable(describeFailure(error))}\n`)
      })
    })
    return { text: '', json: {} }
  },
}

/** Asks for lines until there are no more. */
async function talk({ terminal, signal }: CommandContext, model: string, onLine: (line: string) => Promise<void>): Promise<void> {
  terminal.err(paint(terminal, 'dim', `Talking with ${printable(model)}; Ctrl-D ends it.\n`))
  for (;;) {
    const line = await terminal.ask(paint(terminal, 'bold', '> '), { signal })
    if (line === null || line === endOfInput) return
    if (line.trim() !== '') await onLine(line)
  }
}

/** Streams one answer to standard output, thoughts to a person's standard error, and resolves to its text. */
async function stream(
  { terminal, signal, json }: CommandContext,
  service: ServiceClient,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  let answer = ''
  let finish: string | null = null
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
  if (finish === null) throw new Error('The answer broke off; ask again.')
  if (!json) terminal.out('\n')
  if (finish === 'length' && terminal.interactive) terminal.err(paint(terminal, 'dim', '(cut off; --max-tokens allows more)\n'))
  return answer
}

function readNumber(flags: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = flags.get(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new UsageError([{ where: `--${name}`, message: `expected a number, got ${JSON.stringify(text)}.` }])
}
