import type { Kind } from './setting.ts'
import { names, refined } from './setting-kinds.ts'

/** A field name of RFC 9110, section 5.1, in lower case. */
const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** Headers with another meaning, which must not change a request's mode. */
const taken =
  /^(?:accept|authorization|cache-control|connection|cookie|date|dnt|expect|forwarded|from|host|idempotency-key|keep-alive|origin|pragma|prefer|priority|range|referer|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|upgrade-insecure-requests|user-agent|via|(?:x-)?api-key|x-real-ip|x-request-id|x-user-request-id|x-service-(?!async$).*|(?:accept|access-control|anthropic|content|if|proxy|sec|x-forwarded)-.*)$/

/** Header names without another meaning, separated by commas, or a list in the file; converted to lower case. */
export const headerNames: Kind<readonly string[]> = refined(names, '<header>,…', (value) => {
  const malformed = value.filter((name) => !fieldName.test(name))
  if (malformed.length > 0) return { fault: `expected names of headers, such as x-example-async; ${malformed.join(', ')} cannot be one.` }
  const meaning = value.filter((name) => taken.test(name))
  if (meaning.length > 0) return { fault: `expected headers that mean nothing else; ${meaning.join(', ')} does, choose another.` }
  return { value }
})

const field = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)=([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/i

/** Headers with values, never shown since they may be secrets. */
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
