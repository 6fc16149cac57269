import type { FieldFault } from '../core/error.ts'
import { isImageServer } from '../core/images/image-servers.ts'
import { isRecord } from '../core/json-value.ts'
import { isTextServer } from '../core/model.ts'
import { printPath, type SchemaNode } from '../core/schema/describe-schema.ts'
import { findFaults } from '../core/schema/find-faults.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import type { CatalogFault } from './catalog-fault.ts'
import { isInnerPath } from './describe/field-values.ts'
import type { ModelFile, ModelReferences } from './model-file.ts'
import { type ModelFileField, modelFileFields } from './model-file-fields.ts'

type Checked =
  /** `idle`: fields without effect. */
  | { readonly modelFile: ModelFile; readonly idle: readonly CatalogFault[] }
  /** `sound`: the valid fields, for further checks. */
  | { readonly faults: readonly CatalogFault[]; readonly sound: ModelReferences }

/**
 * Checks the text of a `model.json` against all fields.
 *
 * @param options.confined Whether the file was downloaded, so that it must not name secrets outside its folder.
 */
export function checkModelFile(file: string, text: string, { confined }: { readonly confined: boolean }): Checked {
  const value = parseObject(text)
  if (typeof value === 'string') return { faults: [{ file, field: '', message: value }], sound: {} }
  const { kind, format } = value
  const server =
    typeof format !== 'string' ? [] : isTextServer(format) ? ['text-upstream'] : isImageServer(format) ? ['image-upstream'] : []
  const elsewhere = server.length > 0
  const groups = ['all', kind, format, ...server, ...(elsewhere ? ['upstream'] : [])]
  const fields = modelFileFields.filter(({ models }) => groups.includes(models))
  const found = findFaults(schemaOf(fields), value)
  // The allowed fields depend on the kind and format.
  const isOfAKind = found.every(({ path: [name] }) => name !== 'kind' && name !== 'format')
  const unknown = isOfAKind ? found : findFaults(schemaOf(modelFileFields), value)
  const misfits = [...found.filter(({ kind: of }) => of !== 'unknown'), ...unknown.filter(({ kind: of }) => of === 'unknown')]
  const faults = [...misfits.map(inWords), ...(confined ? findForeignKey(value) : [])].map((fault) => ({ file, ...fault }))
  if (faults.length === 0) {
    const idle = server.includes('image-upstream') ? fields.flatMap((field) => findIdle(field, value)) : findIdleShares(value)
    return { modelFile: value as unknown as ModelFile, idle: idle.map((fault) => ({ file, ...fault })) }
  }
  const checked = new Set(fields.map(({ name }) => name.split('.', 1)[0]))
  const sound = Object.entries(value).filter(([name]) => checked.has(name) && faults.every(({ field }) => field !== name))
  return { faults, sound: Object.fromEntries(sound) as ModelReferences }
}

/** Parses a JSON object, or returns the fault. */
function parseObject(text: string): Readonly<Record<string, unknown>> | string {
  try {
    return asObject(JSON.parse(text)) ?? 'write one JSON object into it.'
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined
}

/** The fields as one schema; dotted names become nested objects. */
function schemaOf(fields: readonly ModelFileField[]): SchemaNode {
  const groups = Map.groupBy(fields, ({ name }) => name.split('.', 1)[0] ?? '')
  const properties = Object.fromEntries([...groups].map(([name, group]) => [name, groupSchema(name, group)]))
  const required = [...groups].flatMap(([name, group]) => (group.some(({ absent }) => absent === null) ? [name] : []))
  return { type: 'object', properties, required, additionalProperties: false }
}

function groupSchema(group: string, fields: readonly ModelFileField[]): SchemaNode {
  const [only] = fields
  if (only?.name === group) return only.schema
  const members = fields.map(({ name, ...field }) => ({ ...field, name: name.slice(group.length + 1) }))
  const names = [...new Set(members.map(({ name }) => name))]
  return {
    type: 'object',
    words: `an object with ${names.map((name) => `"${name}"`).join(', ')}`,
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.flatMap(({ name, absent }) => (absent === null ? [name] : [])),
    additionalProperties: false,
  }
}

/** Splits the field from the message that begins with it. */
function inWords({ path, message }: FieldFault): Omit<CatalogFault, 'file'> {
  const field = printPath(path)
  return { field, message: message.replace(`\`${field}\` `, '') }
}

function findIdle({ name, idle }: ModelFileField, root: Readonly<Record<string, unknown>>): Omit<CatalogFault, 'file'>[] {
  return idle === undefined || readPath(root, name) === undefined ? [] : [{ field: name, message: idle }]
}

const shareFields = ['url', 'weight']

/** Unknown fields of replicas. */
function findIdleShares({ replicas }: Readonly<Record<string, unknown>>): Omit<CatalogFault, 'file'>[] {
  if (!Array.isArray(replicas)) return []
  return replicas.flatMap((replica: unknown, index) =>
    Object.keys(asObject(replica) ?? {})
      .filter((name) => !shareFields.includes(name))
      .map((name) => ({
        field: `replicas[${index}].${name}`,
        message: `has no effect; remove it or use one of ${shareFields.join(', ')}.${didYouMean(name, shareFields)}`,
      })),
  )
}

/** The content of a key file is sent to the server named by the model. */
function findForeignKey({ keyFile }: Readonly<Record<string, unknown>>): Omit<CatalogFault, 'file'>[] {
  if (keyFile === undefined || isInnerPath(keyFile)) return []
  const message = 'must be inside the folder of a pulled model; move the folder into one of --models to use another path.'
  return [{ field: 'keyFile', message }]
}

function readPath(root: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => asObject(value)?.[part], root)
}
