import { delimiter, resolve } from 'node:path'
import { parseByteSize, printByteSize } from '../core/byte-size.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import { parseDuration, printDuration } from './duration.ts'
import type { Kind, Parsed } from './setting.ts'

/** Any non-empty text. */
export const text: Kind<string> = {
  form: '<text>',
  parse: (raw) => (typeof raw === 'string' && raw !== '' ? { value: raw } : wanted('a text', raw)),
  print: (value) => value,
}

/** A switch; without a value it is on. */
export const toggle: Kind<boolean> = {
  form: 'on | off',
  parse: (raw) => {
    if (raw === true || raw === 'on' || raw === 'true' || raw === '1') return { value: true }
    if (raw === false || raw === 'off' || raw === 'false' || raw === '0') return { value: false }
    return wanted('on or off', raw)
  },
  print: (value) => (value ? 'on' : 'off'),
}

/** A whole number within inclusive bounds. */
export function integer(min: number, max: number): Kind<number> {
  return {
    form: '<number>',
    parse: (raw) => {
      const value = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      return fits ? { value } : wanted(`a whole number from ${min} to ${max}`, raw)
    },
    print: String,
  }
}

/** One of a fixed set of words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    form: words.join(' | '),
    parse: (raw) => {
      const value = words.find((word) => word === raw)
      if (value !== undefined) return { value }
      const fault = wanted(`one of ${words.join(', ')}`, raw)
      return typeof raw === 'string' ? { fault: fault.fault + didYouMean(raw, words) } : fault
    },
    print: (value) => value,
  }
}

/** A duration with a unit, in milliseconds; bounds are durations too. */
export function duration(min: string, max: string): Kind<number> {
  const minMs = parseDuration(min) ?? 0
  const maxMs = parseDuration(max) ?? Number.MAX_SAFE_INTEGER
  return {
    form: '<duration>',
    parse: (raw) => {
      const value = typeof raw === 'string' ? parseDuration(raw) : raw === 0 ? 0 : undefined
      const fits = value !== undefined && value >= minMs && value <= maxMs
      return fits ? { value } : wanted(`a duration from ${min} to ${max}, such as 90s, 5m or 2h`, raw)
    },
    print: printDuration,
  }
}

/** A size with or without a unit, in bytes. */
export function byteSize(min: string): Kind<number> {
  const minBytes = parseByteSize(min) ?? 0
  return {
    form: '<size>',
    parse: (raw) => {
      const value = typeof raw === 'string' || typeof raw === 'number' ? parseByteSize(String(raw)) : undefined
      return value !== undefined && value >= minBytes ? { value } : wanted(`a size of at least ${min}, such as 64mb or 1.5gb`, raw)
    },
    print: printByteSize,
  }
}

/** A folder, converted to an absolute path. */
export const folder: Kind<string> = pathOf('folder')
/** A file, converted to an absolute path. */
export const file: Kind<string> = pathOf('file')

/** The ISO 4217 code of a currency. */
export const currencyCode: Kind<string> = refined(text, '<code>', (code) =>
  Intl.supportedValuesOf('currency').includes(code) ? { value: code } : wanted('the ISO 4217 code of a currency, such as EUR', code),
)

function pathOf(what: 'folder' | 'file'): Kind<string> {
  return {
    ...text,
    form: `<${what}>`,
    parse: (raw, base) => (typeof raw === 'string' && raw !== '' ? { value: resolve(base, raw) } : wanted(`the path of a ${what}`, raw)),
  }
}

/** A text that is never shown. */
export const secret: Kind<string> = {
  form: '<secret>',
  parse: (raw, base) => {
    const parsed = text.parse(raw, base)
    return 'fault' in parsed ? wantedSecretly('a text') : parsed
  },
  print: () => '***',
}

/** A kind whose parsed values are checked or changed further. */
export function refined<Value>(kind: Kind<Value>, form: string, refine: (value: Value, base: string) => Parsed<Value>): Kind<Value> {
  return {
    ...kind,
    form,
    parse: (raw, base) => {
      const parsed = kind.parse(raw, base)
      return 'fault' in parsed ? parsed : refine(parsed.value, base)
    },
  }
}

/** Folders separated by the platform's path separator, or a list in the file. */
export const folders: Kind<readonly string[]> = refined(list('a list of folders', delimiter), `<folder>${delimiter}…`, (paths, base) => ({
  value: paths.map((path) => resolve(base, path)),
}))

/** Names separated by commas, or a list in the file; converted to lower case. */
export const names: Kind<readonly string[]> = refined(list('names separated by commas', ','), '<name>,…', (written) => ({
  value: written.map((name) => name.toLowerCase()),
}))

/** Pairs of alias and name separated by commas, or an object in the file. */
export const aliases: Kind<Readonly<Record<string, string>>> = {
  form: '<alias>=<model>,…',
  parse: (raw, base) => {
    const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
    const parsed = list('pairs such as gpt-4o=qwen3-8b', ',').parse(
      isObject ? Object.entries(raw).map((pair) => pair.join('=')) : raw,
      base,
    )
    if ('fault' in parsed) return parsed
    const wrong = parsed.value.find((pair) => !/^[^\s=]+=[^\s=]+$/.test(pair))
    if (wrong !== undefined) return wanted('pairs such as gpt-4o=qwen3-8b, separated by commas', wrong)
    return { value: Object.fromEntries(parsed.value.map((pair) => pair.split('='))) }
  },
  print: (value) =>
    Object.entries(value)
      .map((pair) => pair.join('='))
      .join(','),
}

/** Origins separated by commas, or a list in the file; `*` for all. */
export const origins: Kind<readonly string[]> = refined(list('origins separated by commas', ','), '<origin>,…', (value) => {
  const wrong = value.find((each) => each !== '*' && !isOrigin(each))
  return wrong === undefined ? { value } : wanted('origins such as https://app.example, without a path, or *', wrong)
})

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** A URL without trailing slash; web URLs have no query, since paths are appended. Secrets in it are never shown. */
export function url(...protocols: readonly string[]): Kind<string> {
  const starts = protocols.map((protocol) => `${protocol}//`).join(' or ')
  const secretly = protocols.some((protocol) => protocol.startsWith('http')) ? '' : ', its password with %2F for /, %23 for # and %3F for ?'
  return {
    form: '<url>',
    parse: (raw) => {
      const address = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined
      if (address === undefined || !protocols.includes(address.protocol))
        return wantedSecretly(`an address that starts with ${starts}${secretly}`)
      const queried = address.protocol.startsWith('http') && address.search !== ''
      if (queried || address.hash !== '') return wantedSecretly('an address that ends with its path')
      return { value: address.href.replace(/\/+$/, '') }
    },
    print: (value) => {
      const address = new URL(value)
      if (address.password !== '') address.password = '***'
      for (const key of address.searchParams.keys()) address.searchParams.set(key, '***')
      return address.href.replace(/\/$/, '')
    },
  }
}

/** Adds "not set" to a kind. */
export function optional<Value>(kind: Kind<Value>): Kind<Value | null> {
  return {
    form: kind.form,
    parse: (raw, base) => (raw === null ? { value: null } : kind.parse(raw, base)),
    print: (value) => (value === null ? '' : kind.print(value)),
  }
}

/** A kind in which 0 means unlimited. */
export function zeroIsNone(kind: Kind<number>): Kind<number | null> {
  return {
    form: kind.form,
    parse: (raw, base) => {
      const parsed = kind.parse(raw, base)
      return 'value' in parsed && parsed.value === 0 ? { value: null } : parsed
    },
    print: (value) => kind.print(value ?? 0),
  }
}

/** A share over 0 and up to 1, written as a percentage. */
export const percentage: Kind<number> = {
  form: '<number>',
  parse: (raw, base) => {
    const parsed = integer(1, 100).parse(raw, base)
    return 'value' in parsed ? { value: parsed.value / 100 } : parsed
  },
  print: (value) => String(Math.round(value * 100)),
}

function list(description: string, separator: string): Kind<readonly string[]> {
  return {
    form: description,
    parse: (raw) => {
      const entries: readonly unknown[] = Array.isArray(raw) ? raw : [raw]
      const parts: string[] = []
      for (const entry of entries) {
        if (typeof entry !== 'string') return wanted(description, raw)
        parts.push(...entry.split(separator).map((part) => part.trim()))
      }
      return { value: parts.filter((part) => part !== '') }
    },
    print: (value) => value.join(separator),
  }
}

function wanted(description: string, raw: unknown): { readonly fault: string } {
  return { fault: `expected ${description}, got ${JSON.stringify(raw)}.` }
}

/** A fault never repeats a value that may contain a password. */
function wantedSecretly(description: string): { readonly fault: string } {
  return { fault: `expected ${description}.` }
}

/** Decodes percent escapes; a text with invalid ones is taken literally. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
