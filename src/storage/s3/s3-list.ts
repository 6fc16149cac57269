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
