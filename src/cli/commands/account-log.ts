import { parseDuration, printDuration } from '../../config/duration.ts'
import { usualKeepMs } from '../../core/requests/logged-body.ts'
import type { AccountLog, KeptBody } from '../cli-backend.ts'
import { type Command, type CommandResult, confirm, yesFlag } from '../command.ts'
import { UsageError } from '../failures.ts'
import { isoTime, printable, printableLine } from '../printed-text.ts'
import { findAccount } from './accounts.ts'

/** Switches the request log of an account, shows its state, or prints the bodies of a request. */
export const logAccount: Command = {
  words: ['account', 'log'],
  summary: 'Turn the encrypted request log of an account on or off; without flags, show its state.',
  argument: { name: '<id>', help: 'The id that sepia account list shows.' },
  flags: [
    { name: 'on', form: null, help: 'Log requests from now on; the console and a response header show it.' },
    { name: 'keep', form: '<duration>', help: 'How long to keep each body, such as 48h. Default: 24h.' },
    { name: 'for', form: '<duration>', help: 'Turn the log off after this time, such as 7d. Default: never.' },
    { name: 'off', form: null, help: 'Stop logging; logged bodies are kept until they expire.' },
    { name: 'delete', form: null, help: 'Delete all logged bodies now.' },
    { name: 'show', form: '<request>', help: 'Print the logged bodies of this request; the audit log records it.' },
    yesFlag,
  ],
  settings: ['data', 'database-url', 'database-url-file', 's3-url', 's3-secret-file', 'request-log-keys', 'request-log-time'],
  run: async (context) => {
    const { argument, backend, config, flags } = context
    const wish = readWish(flags)
    await using desk = await backend.openAccountDesk(config, context)
    const { id, name } = await findAccount(desk, argument, context)
    const request = flags.get('show')
    if (request !== undefined) return showBodies(await desk.readBodies(id, request, context), request)
    if (flags.has('delete')) {
      const { bodies } = await desk.accountLog(id, context)
      await confirm(context, { warning: `This deletes ${bodies} logged bodies of the account "${name}".`, unattended: 'refuse' })
    }
    if (wish !== null) await desk.switchLogOn(id, wish, context)
    if (flags.has('off')) await desk.switchLogOff(id, context)
    if (flags.has('delete')) await desk.deleteBodies(id, context)
    return showLog(printableLine(name), await desk.accountLog(id, context))
  },
}

/** Adds a key to the request log's keys. */
export const makeLogKey: Command = {
  words: ['log-key', 'make'],
  summary: 'Add a new key for the request log; older keys still decrypt earlier entries.',
  flags: [],
  settings: ['data', 'request-log-keys'],
  run: async ({ backend, config, signal }) => {
    const { id, file } = await backend.makeLogKey(config, { signal })
    return {
      text: `Added the key ${id} to ${file}.\nKeep a copy apart from the backups: without it the log cannot be read.`,
      json: { key: id, file },
    }
  },
}

function readWish(flags: ReadonlyMap<string, string>): { readonly keepMs: number; readonly forMs: number | null } | null {
  if (!flags.has('on')) {
    const lonely = ['keep', 'for'].find((name) => flags.has(name))
    if (lonely !== undefined) throw new UsageError([{ where: `--${lonely}`, message: 'belongs to --on.' }])
    return null
  }
  if (flags.has('off')) throw new UsageError([{ where: '--off', message: 'contradicts --on.' }])
  return { keepMs: readTime(flags, 'keep') ?? usualKeepMs, forMs: readTime(flags, 'for') }
}

function readTime(flags: ReadonlyMap<string, string>, name: string): number | null {
  const text = flags.get(name)
  if (text === undefined) return null
  const time = parseDuration(text)
  if (time !== undefined && time > 0) return time
  throw new UsageError([{ where: `--${name}`, message: `expected a duration such as 12h or 7d, got ${JSON.stringify(text)}.` }])
}

function showLog(name: string, { on, bodies, bytes }: AccountLog): CommandResult {
  const held = `${bodies} bodies, ${Math.ceil(bytes / 1000)} kB`
  const until = on?.until == null ? '' : `, until ${isoTime(on.until)}`
  const text =
    on === null ? 'is not logged' : `is logged since ${isoTime(on.since)}; bodies are kept for ${printDuration(on.keepMs)}${until}`
  return {
    text: `"${name}" ${text}. Kept now: ${held}.`,
    json: { on: on && { since: isoTime(on.since), keep: printDuration(on.keepMs), until: isoTime(on.until) }, bodies, bytes },
  }
}

function showBodies(bodies: readonly KeptBody[], request: string): CommandResult {
  if (bodies.length === 0)
    throw new UsageError([
      { where: '--show', message: `nothing is logged for ${JSON.stringify(request)}: it was not logged, or has expired.` },
    ])
  const shown = bodies.map((body) => {
    const at = isoTime(body.at)
    if ('unreadable' in body) return { part: body.part, at, unreadable: body.unreadable }
    const { part, contentType, status, length } = body
    return { part, at, content_type: contentType, status, bytes: length, text: Buffer.from(body.bytes).toString() }
  })
  const text = shown.map((body) => {
    const why = 'unreadable' in body ? (body.unreadable === 'key' ? 'its key is missing' : 'it is damaged') : null
    return `${body.part}, ${body.at}:\n${'text' in body ? printable(body.text) : `cannot be read: ${why}`}`
  })
  return { text: text.join('\n\n'), json: { bodies: shown } }
}
