import { styleText } from 'node:util'
import type { JsonObject, JsonValue } from '../core/json-value.ts'

const colours = { debug: 'blue', info: 'green', warn: 'yellow', error: 'red' } as const

/**
 * A line of the log as people read it: time of day, level and message, the other fields as JSON, and the stack of a fault below.
 *
 * @param line One JSON object, as pino writes it.
 */
export function prettyLine(line: string, { coloured }: { readonly coloured: boolean }): string {
  const { level, time, msg, err, ...fields }: JsonObject = JSON.parse(line)
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  const name = String(level)
  const label = paint(isKnown(name) ? colours[name] : 'white', name.toUpperCase())
  const rest = Object.keys(fields).length === 0 ? '' : ` ${paint('gray', JSON.stringify(fields))}`
  return `[${new Date(String(time)).toTimeString().slice(0, 8)}] ${label}: ${paint('cyan', String(msg))}${rest}\n${fault(err)}`
}

function isKnown(level: string): level is keyof typeof colours {
  return Object.hasOwn(colours, level)
}

/** The stack, indented and without characters that control a terminal, and what else the fault carries. */
function fault(err: JsonValue | undefined): string {
  if (err === undefined) return ''
  const { stack, type: _type, message, ...more }: JsonObject = Object(err)
  const text = String(stack ?? message ?? JSON.stringify(err)) + (Object.keys(more).length === 0 ? '' : `\n${JSON.stringify(more)}`)
  return text
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .replace(/^/gm, '    ')
    .concat('\n')
}
