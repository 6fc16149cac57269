import { isRecord, type JsonObject, type JsonValue } from '../../../../core/json-value.ts'

/** Keywords whose values are not schemas. */
const data: readonly string[] = ['const', 'enum', 'default', 'example', 'examples']

/** Finds what the references of a schema point to. */
export class SchemaReferences {
  readonly #root: JsonObject
  /** Schemas by their `$anchor` or `$id`; null = not looked for yet. */
  #named: ReadonlyMap<string, JsonObject> | null = null

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** Resolves a reference such as `#/$defs/node`. @returns The schema, or a clause about an unresolvable reference. */
  resolve(reference: string): { readonly schema: JsonValue } | string {
    const [address = '', fragment = ''] = splitOnce(reference, '#')
    const base = address === '' || address === this.#root.$id || address === this.#root.id ? this.#root : this.#names().get(address)
    if (base === undefined) return 'must point into the schema itself'
    if (fragment === '') return { schema: base }
    if (!fragment.startsWith('/')) {
      const anchored = this.#names().get(`#${fragment}`)
      return anchored === undefined ? 'points to nothing' : { schema: anchored }
    }
    let target: JsonValue | undefined = base
    for (const step of fragment.slice(1).split('/')) {
      const name = readStep(step)
      if (name === null) return 'has a percent sign without an escape; write it as %25'
      target = memberOf(target, name)
    }
    return target === undefined ? 'points to nothing' : { schema: target }
  }

  #names(): ReadonlyMap<string, JsonObject> {
    this.#named ??= findNames(this.#root)
    return this.#named
  }
}

/** The schemas with a name, at any depth; of several with one name, the first. */
function findNames(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  const open: JsonValue[] = [root]
  for (const value of open) {
    if (Array.isArray(value)) open.push(...value)
    if (!isRecord(value)) continue
    for (const name of namesOf(value)) if (!found.has(name)) found.set(name, value)
    for (const [keyword, inside] of Object.entries(value)) if (!data.includes(keyword)) open.push(inside)
  }
  return found
}

function namesOf({ $anchor: anchor, $id: id }: JsonObject): readonly string[] {
  return [...(typeof anchor === 'string' ? [`#${anchor}`] : []), ...(typeof id === 'string' ? [id] : [])]
}

function splitOnce(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at)
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** One step of a reference: a member's name, or a place in a list; null when its escapes are broken. */
function readStep(step: string): string | null {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}
