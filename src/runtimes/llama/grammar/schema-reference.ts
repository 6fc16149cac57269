import { isRecord } from '../../../core/is-record.ts'
import type { JsonObject, JsonValue } from '../../../core/json-value.ts'
import { refuseSchema } from './schema-keywords.ts'

/**
 * What a reference into a schema leads to; undefined = nothing.
 *
 * @throws {ServiceError} `unsupported_parameter` when it is written wrong.
 */
export function followReference(root: JsonObject, reference: string, where: string): JsonValue | undefined {
  let target: JsonValue | undefined = root
  for (const step of reference.split('/').slice(1)) target = memberOf(target, readStep(step, where))
  return target
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** One step of a reference, a member's name. */
function readStep(step: string, where: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch (cause) {
    throw refuseSchema(`"$ref" at ${where} has a percent sign that begins no escape; write it as %25`, cause)
  }
}
