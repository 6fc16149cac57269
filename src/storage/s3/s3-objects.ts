import { createHash, randomBytes } from 'node:crypto'
import type { OutputName, StoredOutput } from '../../core/ports/output-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { S3Bucket } from './s3-bucket.ts'

/** Lists the keys with a prefix in order, a thousand per call. */
export async function* listKeys(bucket: S3Bucket, prefix: string, options: Abortable): AsyncGenerator<string, void, undefined> {
  let after = ''
  for (;;) {
    const query = { 'list-type': '2', prefix, 'max-keys': '1000', ...(after === '' ? {} : { 'start-after': after }) }
    const { status, body } = await bucket.call({ method: 'GET', query }, options)
    if (status !== 200) throw new Error(`The S3 server answered ${status} to a list of the bucket.`)
    const text = body.toString('utf8')
    // Sepia's keys contain no characters that XML escapes.
    const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].flatMap(([, key]) => (key === undefined ? [] : [key]))
    yield* keys
    after = keys.at(-1) ?? ''
    if (keys.length === 0 || !text.includes('<IsTruncated>true</IsTruncated>')) return
  }
}

/** Maximum number of objects per deletion. */
const batch = 1000

/** Deletes objects, a thousand per call; missing ones are ignored. */
export async function deleteKeys(bucket: S3Bucket, keys: readonly string[], options: Abortable): Promise<void> {
  for (let from = 0; from < keys.length; from += batch) {
    // Sepia's keys contain no characters that XML escapes.
    const objects = keys.slice(from, from + batch).map((key) => `<Object><Key>${key}</Key></Object>`)
    const body = new TextEncoder().encode(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const headers = { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') }
    const answer = await bucket.call({ method: 'POST', query: { delete: '' }, headers, body }, options)
    const refused = /<Error>.*?<Code>([\w.]+)<\/Code>/s.exec(answer.body.toString('utf8'))?.[1]
    if (answer.status !== 200 || refused !== undefined)
      throw new Error(`The S3 server did not delete all of ${objects.length} outputs (${refused ?? answer.status}).`)
  }
}

/** Prefix of all outputs; a later layout would use another. */
export const outputPrefix = 'v1/'

/**
 * Generates a unique key, `v1/<hour>/<id>/<attempt>-<nonce>`, so that keys sort by hour of storage. The nonce begins with the millisecond.
 *
 * @param at Unix milliseconds.
 */
export function makeOutputKey({ inferenceId, attempt }: OutputName, at: number): string | null {
  const key = `${outputPrefix}${hourOf(at)}/${inferenceId}/${attempt}-${at.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`
  return readOutputKey(key) === null ? null : key
}

/** Parses a key; null if {@link makeOutputKey} cannot have generated it. */
export function readOutputKey(key: string): (StoredOutput & { readonly storedAt: number }) | null {
  const match = /^v1\/\d{4}-\d\d-\d\dT\d\d\/([\w-]{4,64})\/\d{1,10}-([0-9a-f]{12})[0-9a-f]{20}$/.exec(key)
  const [, inferenceId, at] = match ?? []
  return inferenceId === undefined || at === undefined ? null : { key, inferenceId, storedAt: Number.parseInt(at, 16) }
}

/** The hour as written in keys: `2026-11-22T18`. */
export function hourOf(at: number): string {
  return new Date(at).toISOString().slice(0, 13)
}
