import { createHash } from 'node:crypto'
import type { S3Bucket } from './s3-bucket.ts'

/** The keys under a prefix in their order, a thousand per call. */
export async function* listKeys(
  bucket: S3Bucket,
  prefix: string,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  let after = ''
  for (;;) {
    const query = { 'list-type': '2', prefix, 'max-keys': '1000', ...(after === '' ? {} : { 'start-after': after }) }
    const { status, body } = await bucket.call({ method: 'GET', query }, options)
    if (status !== 200) throw new Error(`The S3 server answered ${status} to a list of the bucket.`)
    const text = body.toString('utf8')
    // Our own keys have no character that XML writes in another way.
    const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].flatMap(([, key]) => (key === undefined ? [] : [key]))
    yield* keys
    after = keys.at(-1) ?? ''
    if (keys.length === 0 || !text.includes('<IsTruncated>true</IsTruncated>')) return
  }
}

/** What one call may delete. */
const batch = 1000

/** Deletes objects, a thousand per call; those that are not there count as deleted. */
export async function deleteKeys(bucket: S3Bucket, keys: readonly string[], options: { readonly signal: AbortSignal }): Promise<void> {
  for (let from = 0; from < keys.length; from += batch) {
    // Our own keys have no character that XML writes in another way.
    const objects = keys.slice(from, from + batch).map((key) => `<Object><Key>${key}</Key></Object>`)
    const body = new TextEncoder().encode(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const headers = { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') }
    const answer = await bucket.call({ method: 'POST', query: { delete: '' }, headers, body }, options)
    const refused = /<Error>.*?<Code>([\w.]+)<\/Code>/s.exec(answer.body.toString('utf8'))?.[1]
    if (answer.status !== 200 || refused !== undefined)
      throw new Error(`The S3 server did not delete all of ${objects.length} outputs (${refused ?? answer.status}).`)
  }
}
