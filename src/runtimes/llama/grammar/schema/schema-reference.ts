import { isRecord } from '../../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../../core/json-value.ts'
import { refuseSchema } from './schema-keywords.ts'

/**
 * What a `$ref` such as `#/$defs/node` points to.
 *
 * @throws {ServiceError} `unsupported_parameter` when it leads out of the schema or to nothing.
 */
export function resolveReference(root: JsonObject, reference: JsonValue | undefined, where: string): JsonValue {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference))
    throw refuseSchema(`"$ref" at ${where} must point into the schema itself`)
  let target: JsonValue | undefined = root
  for (const step of reference.split('/').slice(1)) target = memberOf(target, readStep(step, where))
  if (target === undefined) throw refuseSchema(`"$ref" at ${where} points to nothing`)
  return target
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** One step of a reference: a member's name, or a place in a list. */
function readStep(step: string, where: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch (cause) {
    throw refuseSchema(`"$ref" at ${where} has a percent sign that begins no escape; write it as %25`, cause)
  }
}
