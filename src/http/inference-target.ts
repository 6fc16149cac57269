import type { FastifyRequest } from 'fastify'
import type { Scope } from '../core/access-token.ts'
import type { Inference } from '../core/inference.ts'
import { type InferenceTarget, requestNotFound } from '../operations/deferred/find-inference.ts'
import { callerOf, requireScope } from './caller.ts'

/** A route with an inference's id in its path. */
export type InferenceRoute = { readonly Params: { readonly id: string } }

/**
 * Which inference a path names, and for whom.
 *
 * @throws {ServiceError} `request_not_found` for texts that can be no id, before any store sees them.
 */
export function readTarget(incoming: FastifyRequest<InferenceRoute>): InferenceTarget {
  const { id } = incoming.params
  if (!/^[\w-]{1,128}$/.test(id)) throw requestNotFound()
  return { id, accountId: callerOf(incoming).accountId }
}

/** @throws {ServiceError} `insufficient_scope` unless the token may read everything, or may make such inferences. */
export function requireReadable(incoming: FastifyRequest, { kind }: Pick<Inference, 'kind'>): void {
  requireScope(callerOf(incoming), ['read', scopeOf[kind]])
}

/** @throws {ServiceError} `insufficient_scope` unless the token may make such inferences. */
export function requireWritable(incoming: FastifyRequest, { kind }: Pick<Inference, 'kind'>): void {
  requireScope(callerOf(incoming), [scopeOf[kind]])
}

const scopeOf: Readonly<Record<Inference['kind'], Scope>> = { image: 'image', chat: 'text', embedding: 'text' }
