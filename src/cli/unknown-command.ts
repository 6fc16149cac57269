import type { ConfigFault } from '../config/load-config.ts'
import { nearestName } from '../core/text/nearest-name.ts'
import { commands } from './commands.ts'

/** Commands of Ollama, of shells and of other programs, with Sepia's equivalents. */
const foreign: ReadonlyMap<string, string> = new Map([
  ['start', 'serve'],
  ['ps', 'status'],
  ['ls', 'model list'],
  ['rm', 'model remove'],
  ['stop', 'model unload'],
  ['users', 'account list'],
  ['model add', 'model pull'],
  ['model rm', 'model remove'],
  ['account add', 'account create'],
  ['account rm', 'account disable'],
  ['account delete', 'account disable'],
  ['token new', 'token create'],
  ['token add', 'token create'],
  ['token rm', 'token revoke'],
  ['token delete', 'token revoke'],
])

/** The fault for unknown commands, with suggestions. */
export function unknownCommand(words: readonly string[]): ConfigFault {
  const where = `sepia ${words.join(' ')}`
  const [first = '', second] = words
  const names = commands.map((command) => command.words.join(' '))
  const family = names.filter((name) => name.startsWith(`${first} `))
  const meant = second === undefined && family.length > 0 ? [] : findMeant(first, second, names)
  if (family.length > 0 && meant.length === 0) return { where, message: `needs one of: ${family.join(', ')}.` }
  const question = meant.length === 0 ? '' : ` Did you mean ${either(meant)}?`
  return { where, message: `there is no such command.${question} See sepia --help.` }
}

/** Words after a command's own words are its argument. */
function findMeant(first: string, second: string | undefined, names: readonly string[]): readonly string[] {
  const both = foreign.get(`${first} ${second}`)
  if (both !== undefined) return [both]
  const near = second === undefined ? undefined : nearestName(`${first} ${second}`, names)
  if (near !== undefined) return [near]
  const alias = foreign.get(first)
  if (alias !== undefined) return [alias]
  const endings = names.filter((name) => name.endsWith(` ${first}`))
  if (endings.length > 0) return endings
  const groups = names.map((name) => name.split(' ')[0] ?? '').filter((group) => group !== first)
  return [nearestName(first, [...names, ...groups])].filter((name) => name !== undefined)
}

function either(names: readonly string[]): string {
  const [last = '', ...others] = names.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
}
