import { isRecord, type JsonValue } from '../../../../core/json-value.ts'
import { isOfType, isSchemaType } from './value-types.ts'

/** What holds in one of the two cases, and its place. */
export interface Branch {
  readonly schema: JsonValue
  readonly where: string
}

/** Further rules for an object that depend on one of its members: `if`, `then` and `else`. */
export interface Condition {
  /** The member. */
  readonly name: string
  /** Its values under which `then` holds, as JSON; null = all. */
  readonly values: ReadonlySet<string> | null
  /** Whether `else` holds without the member, rather than `then`. */
  readonly needsMember: boolean
  /** Whether `else` holds for what is no object, rather than `then`. */
  readonly needsObject: boolean
  readonly whenMet: Branch
  readonly otherwise: Branch
}

/** Reads an `if` about constants of one member, or about its presence; null = it says something else. */
export function readCondition(test: JsonValue, branches: Pick<Condition, 'whenMet' | 'otherwise'>): Condition | null {
  if (!isRecord(test)) return null
  const { properties = {}, required = [], type = 'object', ...more } = test
  if (type !== 'object' || Object.keys(more).length > 0 || !isRecord(properties) || !Array.isArray(required)) return null
  const [[name, member] = [], ...others] = Object.entries(properties)
  const [needed, ...further] = required
  if (others.length > 0 || further.length > 0 || (name !== undefined && needed !== undefined && needed !== name)) return null
  const about = name ?? needed
  const values = member === undefined ? null : constantsOf(member)
  if (typeof about !== 'string' || (member !== undefined && values === null)) return null
  return { name: about, values, needsMember: needed !== undefined, needsObject: test.type === 'object', ...branches }
}

function constantsOf(member: JsonValue): ReadonlySet<string> | null {
  if (!isRecord(member)) return null
  const { const: constant, enum: values = [constant ?? null], type, ...more } = member
  const types = type === undefined ? [] : [type].flat().map((name) => String(name).toLowerCase())
  const fits = (value: JsonValue) => type === undefined || types.some((name) => isSchemaType(name) && isOfType(value, name))
  const isSimple = Array.isArray(values) && values.every((value) => (value === null || typeof value !== 'object') && fits(value))
  if (!isSimple || Object.keys(more).length > 0 || (constant === undefined) === (member.enum === undefined)) return null
  return new Set(values.map((value) => JSON.stringify(value)))
}
