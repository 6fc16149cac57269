import Type, { type TObject, type TSchema } from 'typebox'
import type { Scope } from '../../core/access-token.ts'
import type { ErrorStatus } from '../answers/error-status.ts'

/** One route as the API document describes it. */
export interface DocumentedRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** In OpenAPI's spelling: `/v1/requests/{id}`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Any one of these lets a token in; null = no token needed. */
  readonly scopes: readonly Scope[] | null
  /** Which of them a token needs, where it depends on the request. */
  readonly scopeRule?: string
  readonly parameters?: readonly RouteParameter[]
  readonly body?: TObject
  /** What the body comes as; JSON when left out. */
  readonly bodyType?: 'application/json' | 'multipart/form-data'
  readonly answers: readonly RouteAnswer[]
  /** Statuses of refusals beyond those of every route: 400 for unknown query parameters, 401, 403, 405 and 500. */
  readonly refusals?: readonly ErrorStatus[]
}

export interface RouteParameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly description: string
  readonly schema: TSchema
}

export interface RouteAnswer {
  readonly status: 200 | 202 | 304
  readonly description: string
  readonly content?: Readonly<Record<string, TSchema>>
}

/** An answer that is text. */
export const text = Type.String()

/** An answer with a JSON body of one shape. */
export function json(description: string, schema: TSchema, status: 200 | 202 = 200): RouteAnswer {
  return { status, description, content: { 'application/json': schema } }
}
