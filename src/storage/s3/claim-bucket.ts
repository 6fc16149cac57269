import type { S3Bucket } from './s3-bucket.ts'

const markerKey = 'sepia-cluster.json'

/**
 * Makes the bucket when it is missing, and writes into it which cluster it belongs to.
 *
 * @param cluster Id of the cluster, one word.
 * @throws {Error} when the bucket belongs to another cluster, whose outputs ours would delete as nobody's.
 */
export async function claimBucket(
  bucket: S3Bucket,
  { name, region, cluster }: { readonly name: string; readonly region: string; readonly cluster: string },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const found = await bucket.call({ method: 'HEAD' }, options)
  if (found.status === 404) await createBucket(bucket, region, options)
  const body = new TextEncoder().encode(JSON.stringify({ cluster }))
  const headers = { 'content-type': 'application/json', 'if-none-match': '*' }
  await bucket.call({ method: 'PUT', key: markerKey, headers, body }, options)
  const marker = await bucket.call({ method: 'GET', key: markerKey }, options)
  const owner = parseMarker(marker.body.toString('utf8'))
  const theirs = typeof owner === 'object' && owner !== null && 'cluster' in owner ? owner.cluster : undefined
  if (theirs !== cluster)
    throw new Error(
      `The bucket ${name} belongs to another installation (cluster ${String(theirs)}); name one of its own in s3-url, or delete its ${markerKey} if that installation is gone.`,
    )
}

function parseMarker(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(
      `What answers at s3-url is no S3 server, or somebody changed its ${markerKey}; correct s3-url, or delete that object.`,
      { cause },
    )
  }
}

async function createBucket(bucket: S3Bucket, region: string, options: { readonly signal: AbortSignal }): Promise<void> {
  // The first region of Amazon is the one that must not be named.
  const place = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
  const body = region === 'us-east-1' ? undefined : new TextEncoder().encode(place)
  await bucket.call({ method: 'PUT', ...(body === undefined ? {} : { body }) }, options)
}
