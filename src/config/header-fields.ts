import type { Kind } from './setting.ts'

const field = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)=([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/i

/** Headers with their values, which may be secrets, so that none is ever shown. */
export const headerFields: Kind<Readonly<Record<string, string>>> = {
  form: '<name>=<value>,…',
  parse: (raw) => {
    const fields = typeof raw === 'string' ? raw.split(',').map((text) => field.exec(text)) : []
    const pairs = fields.map((match) => [match?.[1]?.toLowerCase() ?? '', match?.[2] ?? ''] as const)
    const whole = pairs.length > 0 && pairs.every(([name]) => name !== '')
    return whole ? { value: Object.fromEntries(pairs) } : { fault: 'expected headers as `name=value`, separated by commas.' }
  },
  print: (value) =>
    Object.keys(value)
      .map((name) => `${name}=***`)
      .join(','),
}
