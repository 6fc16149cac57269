import type { Config } from '../../config/settings.ts'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { NodeRegistry } from '../../core/ports/node-registry.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { S3OutputStore } from '../../storage/s3/open-s3-outputs.ts'
import { readSecretFile } from './node-address.ts'

/**
 * Opens the shared bucket, loading its client on demand.
 *
 * @throws {UsageError} if the secret cannot be read.
 * @throws {Error} if the bucket belongs to another cluster, the cluster has another bucket, or the server refuses.
 */
export async function openBucket(
  { address, secretFile }: Extract<Config['outputs'], { readonly type: 's3' }>,
  { clock, registry, fetch }: { readonly clock: Clock; readonly registry: NodeRegistry; readonly fetch?: typeof globalThis.fetch },
  options: Abortable,
): Promise<S3OutputStore> {
  const { openS3Outputs } = await import('../../storage/s3/open-s3-outputs.ts')
  const secretKey = secretFile === null ? address.secretKey : await readSecretFile(secretFile, { where: 's3-secret-file', least: 1 })
  const cluster = await registry.cluster(options)
  const noteBucket = (found: string | null) => registry.bucket(found, options)
  return openS3Outputs({ address: { ...address, secretKey }, cluster, clock, noteBucket, fetch }, options).catch(throwBucketError)
}

/**
 * Throws the error in a form for the operator, since callers see no causes.
 *
 * @throws {Error} with the root cause of a bucket's fault; other errors unchanged.
 */
export function throwBucketError(error: unknown): never {
  throw error instanceof ServiceError ? new Error(`The bucket of s3-url cannot be used: ${rootOf(error)}`, { cause: error }) : error
}

/** The message of the root cause. */
export function rootOf(error: Error): string {
  return error.cause instanceof Error ? rootOf(error.cause) : error.message
}
