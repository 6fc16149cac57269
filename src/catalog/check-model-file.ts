import { isImageServer } from '../core/images/image-servers.ts'
import { isRecord } from '../core/is-record.ts'
import { isTextServer } from '../core/model.ts'
import { didYouMean } from '../core/text/nearest-name.ts'
import type { CatalogFault } from './catalog-fault.ts'
import { isInnerPath } from './describe/field-values.ts'
import type { ModelFile, ModelReferences } from './model-file.ts'
import { type ModelFileField, modelFileFields } from './model-file-fields.ts'

type Checked =
  /** `idle`: the fields that do nothing. */
  | { readonly modelFile: ModelFile; readonly idle: readonly CatalogFault[] }
  /** `sound`: what can be looked at in spite of the faults, to tell what else is wrong. */
  | { readonly faults: readonly CatalogFault[]; readonly sound: ModelReferences }

/**
 * Checks the text of a `model.json` against every field it may have.
 *
 * @param options.confined Whether it came from elsewhere, so that it may name no secret outside its own folder.
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
  const misfits = fields.flatMap((field) => checkField(field, value))
  // What such a model may have is not known before its kind and format are.
  const isOfAKind = misfits.every(({ field }) => field !== 'kind' && field !== 'format')
  const faults = [...misfits, ...(confined ? findForeignKey(value) : []), ...findUnknown(value, isOfAKind ? fields : modelFileFields)].map(
    (fault) => ({ file, ...fault }),
  )
  if (faults.length === 0) {
    const idle = server.includes('image-upstream') ? fields.flatMap((field) => findIdle(field, value)) : findIdleShares(value)
    return { modelFile: value as unknown as ModelFile, idle: idle.map((fault) => ({ file, ...fault })) }
  }
  const checked = new Set(fields.map(({ name }) => name.split('.', 1)[0]))
  const sound = Object.entries(value).filter(([name]) => checked.has(name) && faults.every(({ field }) => field !== name))
  return { faults, sound: Object.fromEntries(sound) as ModelReferences }
}

/** The object that a text holds, or what is wrong with it. */
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

function checkField(field: ModelFileField, root: Readonly<Record<string, unknown>>): Omit<CatalogFault, 'file'>[] {
  const value = readPath(root, field.name)
  if (value === undefined) return field.absent === null ? [{ field: field.name, message: `is missing; it must be ${field.expected}.` }] : []
  return field.accepts(value) ? [] : [{ field: field.name, message: `must be ${field.expected}.` }]
}

function findIdle({ name, idle }: ModelFileField, root: Readonly<Record<string, unknown>>): Omit<CatalogFault, 'file'>[] {
  return idle === undefined || readPath(root, name) === undefined ? [] : [{ field: name, message: idle }]
}

const shareFields = ['url', 'weight']

/** What stands beside the address and the weight of a further server. */
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

/** Its text is sent to the server that the model names. */
function findForeignKey({ keyFile }: Readonly<Record<string, unknown>>): Omit<CatalogFault, 'file'>[] {
  if (keyFile === undefined || isInnerPath(keyFile)) return []
  const message = 'must be inside the folder of a pulled model; move the folder into one of --models to use another path.'
  return [{ field: 'keyFile', message }]
}

function readPath(root: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => asObject(value)?.[part], root)
}

function findUnknown(root: Readonly<Record<string, unknown>>, fields: readonly ModelFileField[]): Omit<CatalogFault, 'file'>[] {
  const known = [...new Set(fields.map((field) => field.name))]
  return Object.entries(root).flatMap(([name, value]) => {
    const inner = known.filter((field) => field.startsWith(`${name}.`)).map((field) => field.slice(name.length + 1))
    const group = inner.length === 0 ? undefined : asObject(value)
    if (inner.length > 0 && group === undefined)
      return [{ field: name, message: `must be an object with ${inner.map((part) => `"${part}"`).join(', ')}.` }]
    const names = group === undefined ? [name] : Object.keys(group).map((part) => `${name}.${part}`)
    return names
      .filter((field) => !known.includes(field))
      .map((field) => ({
        field,
        message: `is not a field for this kind of model; remove it or use one of ${known.join(', ')}.${didYouMean(field, known)}`,
      }))
  })
}
