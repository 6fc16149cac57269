import { isRecord } from '../../../core/json-value.ts'
import { fileExists, type JsonRecord, readJsonObject, readOptionalJsonObject, readText, unusableModel } from '../onnx/model-file.ts'
import { ClipTokenizer, type TokenizerParts } from './clip-tokenizer.ts'

/** Tokens and merge rules of a byte-pair tokenizer. */
export type Tables = Pick<TokenizerParts, 'vocabulary' | 'ranks'>

/**
 * Reads a tokenizer folder of a model: `vocab.json` and `merges.txt`, or a `tokenizer.json` that holds both. The special
 * tokens are those that any of its files name, else CLIP's.
 *
 * @throws {ServiceError} `inference_failed` naming the file that does not fit.
 */
export async function loadClipTokenizer(folder: string, name: string): Promise<ClipTokenizer> {
  const split = await fileExists(folder, `${name}/vocab.json`)
  const [whole, config, special] = await Promise.all([
    split ? {} : readJsonObject(folder, `${name}/tokenizer.json`),
    readOptionalJsonObject(folder, `${name}/tokenizer_config.json`),
    readOptionalJsonObject(folder, `${name}/special_tokens_map.json`),
  ])
  const tables = split ? await readTables(folder, name) : wholeTables(whole, `${name}/tokenizer.json`)
  const token = (key: string, fallback: string): string => specialToken(special[key]) ?? specialToken(config[key]) ?? fallback
  const end = token('eos_token', '<|endoftext|>')
  const maxLength = config.model_max_length
  return new ClipTokenizer({
    ...tables,
    start: token('bos_token', '<|startoftext|>'),
    end,
    pad: token('pad_token', specialToken(objectAt(whole, 'padding').pad_token) ?? end),
    unknown: token('unk_token', end),
    maxLength: typeof maxLength === 'number' && maxLength < 1000 ? maxLength : 77,
  })
}

async function readTables(folder: string, name: string): Promise<Tables> {
  const [vocabulary, merges] = await Promise.all([readJsonObject(folder, `${name}/vocab.json`), readText(folder, `${name}/merges.txt`)])
  const rules = merges.split('\n').filter((line) => line.includes(' ') && !line.startsWith('#version'))
  return { vocabulary: numbers(vocabulary), ranks: ranked(rules.map((rule) => rule.trim())) }
}

/** The tables of a `tokenizer.json`, added tokens among them. */
export function wholeTables(whole: JsonRecord, file: string): Tables {
  const model = objectAt(whole, 'model')
  const { merges } = model
  if (!Array.isArray(merges) || Object.keys(objectAt(model, 'vocab')).length === 0)
    throw unusableModel(file, 'holds no byte-pair tokenizer ("model" with "vocab" and "merges")')
  // A rule is written as one text, or since 2024 as a pair.
  const rules = merges.map((rule: unknown) => (Array.isArray(rule) ? rule.join(' ') : String(rule)))
  const added = Array.isArray(whole.added_tokens) ? whole.added_tokens.map(addedToken) : []
  return { vocabulary: new Map([...numbers(objectAt(model, 'vocab')), ...added.filter((entry) => entry !== null)]), ranks: ranked(rules) }
}

/** Text and id of an entry of `added_tokens`; null where it is none. */
export function addedToken(token: unknown): readonly [string, number] | null {
  const { content, id } = isRecord(token) ? token : {}
  return typeof content === 'string' && typeof id === 'number' ? [content, id] : null
}

function numbers(table: JsonRecord): ReadonlyMap<string, number> {
  return new Map(Object.entries(table).flatMap(([key, id]) => (typeof id === 'number' ? [[key, id] as const] : [])))
}

function ranked(rules: readonly string[]): ReadonlyMap<string, number> {
  return new Map(rules.map((rule, rank) => [rule, rank]))
}

function objectAt(record: JsonRecord, key: string): JsonRecord {
  const value = record[key]
  return isRecord(value) ? value : {}
}

/** Special tokens are written as text or as an object with a `content`. */
function specialToken(value: unknown): string | undefined {
  const text = isRecord(value) ? value.content : value
  return typeof text === 'string' ? text : undefined
}
