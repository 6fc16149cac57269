import { randomUUID } from 'node:crypto'
import { isRecord } from '../../core/json-value.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { S3Bucket } from './s3-bucket.ts'

const markerKey = 'sepia-cluster.json'
/** Name of a bucket whose marker comes from a version without bucket names. */
const unnamed = 'unnamed'

/**
 * Marks the bucket as belonging to the cluster and records the bucket in the cluster; creates a missing bucket for the first node.
 *
 * @param cluster Id of the cluster, one word.
 * @param noteBucket Returns the cluster's recorded bucket, after recording `found` if there was none; null = none yet.
 * @throws {Error} if the bucket belongs to another cluster, whose outputs this one would delete as orphans, or if the cluster uses another
 * bucket, where other nodes would not find these outputs.
 */
export async function claimBucket(
  bucket: S3Bucket,
  {
    name,
    region,
    cluster,
    noteBucket,
  }: {
    readonly name: string
    readonly region: string
    readonly cluster: string
    readonly noteBucket: (found: string | null) => Promise<string | null>
  },
  options: Abortable,
): Promise<void> {
  const isFirst = (await noteBucket(null)) === null
  const found = await bucket.call({ method: 'HEAD' }, options)
  if (found.status === 404 && !isFirst) throw otherBucket(name)
  if (found.status === 404) await createBucket(bucket, region, options)
  if (isFirst) {
    const body = new TextEncoder().encode(JSON.stringify({ cluster, bucket: randomUUID() }))
    const headers = { 'content-type': 'application/json', 'if-none-match': '*' }
    await bucket.call({ method: 'PUT', key: markerKey, headers, body }, options)
  }
  const marker = await bucket.call({ method: 'GET', key: markerKey }, options)
  if (marker.status === 404 && !isFirst) throw otherBucket(name)
  const owner = parseMarker(marker.body.toString('utf8'))
  const theirs = isRecord(owner) ? owner.cluster : undefined
  if (theirs !== cluster)
    throw new Error(
      `The bucket ${name} belongs to another installation (cluster ${String(theirs)}); use another bucket in s3-url, or delete its ${markerKey} if that installation no longer exists.`,
    )
  const id = isRecord(owner) && typeof owner.bucket === 'string' ? owner.bucket : unnamed
  if ((await noteBucket(id)) !== id) throw otherBucket(name)
}

function otherBucket(name: string): Error {
  return new Error(
    `The bucket ${name} does not hold the outputs of this database, or its ${markerKey} was deleted; give every node the same s3-url. To use this bucket anyway, run "update cluster set bucket = null" in the database.`,
  )
}

function parseMarker(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`The server at s3-url is not an S3 server, or its ${markerKey} was changed; correct s3-url, or delete that object.`, {
      cause,
    })
  }
}

async function createBucket(bucket: S3Bucket, region: string, options: Abortable): Promise<void> {
  // Amazon rejects its first region as a location constraint.
  const place = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
  const body = region === 'us-east-1' ? undefined : new TextEncoder().encode(place)
  await bucket.call({ method: 'PUT', body }, options)
}
